/** OpenNebula's states of virtual machines, as its documentation numbers them, and what they mean for a lease. */
import type { MachineStatus } from '../../engine/ports.ts';
import type { OneVm } from './client.ts';

export const vmStates = {
  INIT: 0,
  PENDING: 1,
  HOLD: 2,
  ACTIVE: 3,
  STOPPED: 4,
  SUSPENDED: 5,
  DONE: 6,
  POWEROFF: 8,
  UNDEPLOYED: 9,
  CLONING: 10,
  CLONING_FAILURE: 11,
} as const;

export const lcmStates = {
  LCM_INIT: 0,
  PROLOG: 1,
  BOOT: 2,
  RUNNING: 3,
  MIGRATE: 4,
  SAVE_SUSPEND: 6,
  EPILOG: 11,
  SHUTDOWN: 12,
  UNKNOWN: 16,
  BOOT_SUSPENDED: 21,
  BOOT_FAILURE: 36,
  BOOT_MIGRATE_FAILURE: 37,
  PROLOG_MIGRATE_FAILURE: 38,
  PROLOG_FAILURE: 39,
  EPILOG_FAILURE: 40,
  PROLOG_MIGRATE_SUSPEND: 45,
  PROLOG_MIGRATE_SUSPEND_FAILURE: 46,
  BOOT_STOPPED_FAILURE: 48,
  PROLOG_RESUME_FAILURE: 49,
} as const;

const failures: readonly number[] = [
  lcmStates.BOOT_FAILURE,
  lcmStates.BOOT_MIGRATE_FAILURE,
  lcmStates.PROLOG_MIGRATE_FAILURE,
  lcmStates.PROLOG_FAILURE,
  lcmStates.EPILOG_FAILURE,
  lcmStates.PROLOG_MIGRATE_SUSPEND_FAILURE,
  lcmStates.BOOT_STOPPED_FAILURE,
  lcmStates.PROLOG_RESUME_FAILURE,
];

/** What OpenNebula tried to do with it has failed. */
export const hasFailed = ({ state, lcmState }: OneVm): boolean =>
  state === vmStates.CLONING_FAILURE || (state === vmStates.ACTIVE && failures.includes(lcmState));

/** Something is being done with it, which will come to an end. */
export const isPassing = (vm: OneVm): boolean =>
  !hasFailed(vm) &&
  (vm.state === vmStates.CLONING ||
    (vm.state === vmStates.ACTIVE && vm.lcmState !== lcmStates.RUNNING && vm.lcmState !== lcmStates.UNKNOWN));

/** Where it comes from counts while it is in between. */
export function statusOf({ state, lcmState }: OneVm): MachineStatus {
  switch (state) {
    case vmStates.DONE:
      return 'absent';
    case vmStates.SUSPENDED:
    case vmStates.STOPPED:
      return 'suspended';
    case vmStates.POWEROFF:
    case vmStates.UNDEPLOYED:
      return 'stopped';
    case vmStates.ACTIVE:
      if (lcmState === lcmStates.PROLOG || lcmState === lcmStates.BOOT) return 'prepared';
      if (lcmState === lcmStates.BOOT_SUSPENDED || lcmState === lcmStates.PROLOG_MIGRATE_SUSPEND)
        return 'suspended';
      return failures.includes(lcmState) ? 'stopped' : 'running';
    default:
      return 'prepared';
  }
}
