import { SchedulerError } from '../errors.ts';
import { defaultSchedulerConfig, type SchedulerConfig } from '../model/config.ts';
import type { StateReason } from '../model/records.ts';
import { type AdmissionPolicy, acceptAll, noAdvanceReservations } from './admission.ts';
import { greedy, type HostSelectionPolicy, noPreference } from './host-selection.ts';
import { advanceReservationsPreempt, noPreemption, type PreemptionPolicy } from './preemption.ts';

/**
 * Policies by the name by which a configuration chooses them. A user's own are added to, or put in place of, the
 * built-in ones.
 */
export interface Policies {
  readonly admission: Readonly<Record<string, AdmissionPolicy>>;
  readonly hostSelection: Readonly<Record<string, HostSelectionPolicy>>;
  readonly preemption: Readonly<Record<string, PreemptionPolicy>>;
}

/** The built-in ones, as a configuration's options shape them. */
function builtInFor({ preemptionPeace }: Pick<SchedulerConfig, 'preemptionPeace'>): Policies {
  const advanceReservations = advanceReservationsPreempt(preemptionPeace);
  return {
    admission: { 'accept-all': acceptAll, 'no-ARs': noAdvanceReservations },
    hostSelection: { greedy, 'no-policy': noPreference },
    preemption: {
      'no-preemption': noPreemption,
      'ar-preempts-everything': advanceReservations,
      'ar-preempts-be': advanceReservations,
    },
  };
}

export const builtInPolicies: Policies = builtInFor(defaultSchedulerConfig);

export interface ChosenPolicies {
  readonly admission: AdmissionPolicy;
  readonly hostSelection: HostSelectionPolicy;
  readonly preemption: PreemptionPolicy;
}

/** Throws INVALID_CONFIG for a name that is not registered. */
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
      throw new SchedulerError('INVALID_CONFIG', `${kind}: there is no policy "${config[kind]}"; known are ${known}`, [
        kind,
      ]);
    }
    return policy;
  };
  const builtIn = builtInFor(config);
  return {
    admission: checkedAdmission(choose('admission', builtIn.admission, own.admission)),
    hostSelection: checkedHostSelection(choose('hostSelection', builtIn.hostSelection, own.hostSelection)),
    preemption: checkedPreemption(choose('preemption', builtIn.preemption, own.preemption)),
  };
};

// What a user's policy answers is looked at before it is believed: an answer of the wrong kind fails the lease that it
// was asked about.

const checkedAdmission = (policy: AdmissionPolicy): AdmissionPolicy => ({
  admit(lease, site) {
    const reason: StateReason | null | undefined = policy.admit(lease, site);
    if (reason == null) return null;
    const { code, message } = reason;
    if (typeof code === 'string' && typeof message === 'string') return { code, message };
    throw new TypeError(`the admission policy answered ${JSON.stringify(reason)}, expected null or a reason`);
  },
});

const checkedHostSelection = (policy: HostSelectionPolicy): HostSelectionPolicy => ({
  indifferent: policy.indifferent === true,
  score: (host, lease, at) => asNumber('host selection', policy.score(host, lease, at)),
});

const checkedPreemption = (policy: PreemptionPolicy): PreemptionPolicy => ({
  preempts: (preemptor) => policy.preempts(preemptor) === true,
  score: (preemptor, preemptee, at) => asNumber('preemption', policy.score(preemptor, preemptee, at)),
});

const asNumber = (kind: string, score: unknown): number => {
  if (typeof score === 'number' && !Number.isNaN(score)) return score;
  throw new TypeError(`the ${kind} policy answered ${String(score)}, expected a number`);
};
