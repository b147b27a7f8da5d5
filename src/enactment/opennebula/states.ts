/** OpenNebula's VM states, numbered as in its documentation, and their meaning for leases. */
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
  PROLOG_RESUME: 9,
  EPILOG: 11,
  SHUTDOWN: 12,
  UNKNOWN: 16,
  BOOT_POWEROFF: 20,
  BOOT_SUSPENDED: 21,
  BOOT_STOPPED: 22,
  PROLOG_UNDEPLOY: 31,
  BOOT_UNDEPLOY: 32,
  BOOT_FAILURE: 36,
  BOOT_MIGRATE_FAILURE: 37,
  PROLOG_MIGRATE_FAILURE: 38,
  PROLOG_FAILURE: 39,
  EPILOG_FAILURE: 40,
  EPILOG_STOP_FAILURE: 41,
  EPILOG_UNDEPLOY_FAILURE: 42,
  PROLOG_MIGRATE_POWEROFF: 43,
  PROLOG_MIGRATE_POWEROFF_FAILURE: 44,
  PROLOG_MIGRATE_SUSPEND: 45,
  PROLOG_MIGRATE_SUSPEND_FAILURE: 46,
  BOOT_UNDEPLOY_FAILURE: 47,
  BOOT_STOPPED_FAILURE: 48,
  PROLOG_RESUME_FAILURE: 49,
  PROLOG_UNDEPLOY_FAILURE: 50,
  PROLOG_MIGRATE_UNKNOWN_FAILURE: 61,
} as const;

const failures: readonly number[] = Object.entries(lcmStates).flatMap(([name, state]) =>
  name.endsWith('_FAILURE') ? [state] : [],
);

/** The state of the machine before each transient life-cycle state. */
const origins: readonly (readonly [MachineStatus, readonly number[]])[] = [
  ['prepared', [lcmStates.LCM_INIT, lcmStates.PROLOG, lcmStates.BOOT]],
  [
    'suspended',
    [
      ...[lcmStates.BOOT_SUSPENDED, lcmStates.PROLOG_MIGRATE_SUSPEND],
      ...[lcmStates.PROLOG_RESUME, lcmStates.BOOT_STOPPED],
    ],
  ],
  [
    'stopped',
    [
      ...[lcmStates.BOOT_POWEROFF, lcmStates.PROLOG_MIGRATE_POWEROFF],
      ...[lcmStates.PROLOG_UNDEPLOY, lcmStates.BOOT_UNDEPLOY, ...failures],
    ],
  ],
];

/** OpenNebula's last operation on it failed. */
export const hasFailed = ({ state, lcmState }: OneVm): boolean =>
  state === vmStates.CLONING_FAILURE || (state === vmStates.ACTIVE && failures.includes(lcmState));

/** An operation on it is in progress and will end. */
export const isPassing = (vm: OneVm): boolean =>
  !hasFailed(vm) &&
  (vm.state === vmStates.CLONING ||
    (vm.state === vmStates.ACTIVE && vm.lcmState !== lcmStates.RUNNING && vm.lcmState !== lcmStates.UNKNOWN));

/** In a transient state, the previous state counts. */
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
      return origins.find(([, states]) => states.includes(lcmState))?.[0] ?? 'running';
    default:
      return 'prepared';
  }
}

export const hostStates = {
  INIT: 0,
  MONITORING_MONITORED: 1,
  MONITORED: 2,
  ERROR: 3,
  DISABLED: 4,
  MONITORING_ERROR: 5,
  MONITORING_INIT: 6,
  MONITORING_DISABLED: 7,
  OFFLINE: 8,
} as const;

export const hostStateName = (state: number): string =>
  Object.entries(hostStates).find(([, each]) => each === state)?.[0] ?? String(state);

/** LOST: OpenNebula cannot reach it, or it is switched off. CLOSED: its VMs continue, and no new ones start. */
export function hostCondition(state: number): 'USABLE' | 'CLOSED' | 'LOST' {
  switch (state) {
    case hostStates.ERROR:
    case hostStates.MONITORING_ERROR:
    case hostStates.OFFLINE:
      return 'LOST';
    case hostStates.DISABLED:
    case hostStates.MONITORING_DISABLED:
      return 'CLOSED';
    default:
      return 'USABLE';
  }
}
