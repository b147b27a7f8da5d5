import { SchedulerError } from '../errors.ts';
import type { SchedulerConfig } from '../model/config.ts';
import { type AdmissionPolicy, acceptAll, noAdvanceReservations } from './admission.ts';
import { greedy, type HostSelectionPolicy, noPreference } from './host-selection.ts';
import { advanceReservationsPreempt, noPreemption, type PreemptionPolicy } from './preemption.ts';

/** Policies by the name by which a configuration chooses them. A user's own are added to, or put in place of, the built-in ones. */
export interface Policies {
  readonly admission: Readonly<Record<string, AdmissionPolicy>>;
  readonly hostSelection: Readonly<Record<string, HostSelectionPolicy>>;
  readonly preemption: Readonly<Record<string, PreemptionPolicy>>;
}

export const builtInPolicies: Policies = {
  admission: { 'accept-all': acceptAll, 'no-ARs': noAdvanceReservations },
  hostSelection: { greedy, 'no-policy': noPreference },
  preemption: {
    'no-preemption': noPreemption,
    'ar-preempts-everything': advanceReservationsPreempt,
    'ar-preempts-be': advanceReservationsPreempt,
  },
};

export interface ChosenPolicies {
  readonly admission: AdmissionPolicy;
  readonly hostSelection: HostSelectionPolicy;
  readonly preemption: PreemptionPolicy;
}

/** Throws INVALID_CONFIG for a name that nobody registered. */
export const choosePolicies = (config: SchedulerConfig, own: Partial<Policies> = {}): ChosenPolicies => {
  const choose = <T>(
    kind: keyof Policies,
    builtIn: Readonly<Record<string, T>>,
    added: Readonly<Record<string, T>> = {},
  ): T => {
    const policies = new Map(Object.entries({ ...builtIn, ...added }));
    const policy = policies.get(config[kind]);
    if (!policy) {
      const known = [...policies.keys()].join(', ');
      throw new SchedulerError(
        'INVALID_CONFIG',
        `${kind}: there is no policy "${config[kind]}"; known are ${known}`,
        [kind],
      );
    }
    return policy;
  };
  return {
    admission: choose('admission', builtInPolicies.admission, own.admission),
    hostSelection: choose('hostSelection', builtInPolicies.hostSelection, own.hostSelection),
    preemption: choose('preemption', builtInPolicies.preemption, own.preemption),
  };
};
