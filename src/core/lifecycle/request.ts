import { SchedulerError } from '../errors.ts';
import { rulesOf } from '../lease-types/table.ts';
import { whyNeverPossible } from '../mapping/empty-site.ts';
import { Lease, type LeaseTerms } from '../model/lease.ts';
import { schedulingFault } from '../model/reasons.ts';
import type { Instant, LeaseRequest, Millis, StateReason } from '../model/records.ts';
import { isDuration } from '../model/time.ts';
import { expectToGoOn } from '../placement/endings.ts';
import type { SchedulerState } from '../state.ts';
import { quotaThreshold } from '../vm/soonest.ts';
import { demandOf } from './demand.ts';

/**
 * NEW -> PENDING, then REJECTED if the lease can never run here or admission refuses it, or FAILED if admission fails.
 * Throws INVALID_REQUEST or LEASE_FAILURE; nothing has changed then.
 */
export const requestLease = (state: SchedulerState, request: LeaseRequest, now: Instant): Lease => {
  const lease = draftLease(state, request, now);
  const verdict = judge(state, lease, now);
  state.add(lease);
  state.transition(lease, 'PENDING', now);
  state.askForPass();
  if (verdict) {
    state.transition(lease, verdict.state, now, verdict.reason);
    state.forget(lease, now);
  }
  return lease;
};

/** The lease that a request describes, not yet part of the state. Throws INVALID_REQUEST or UNSUPPORTED_LEASE_TYPE. */
export function draftLease(state: SchedulerState, request: LeaseRequest, now: Instant): Lease {
  validate(request);
  const id = request.id ?? state.lastLeaseId + 1;
  if (state.leases.has(id)) throw new SchedulerError('INVALID_REQUEST', `There is already a lease ${id}.`, ['id']);
  return makeLease(state, {
    id,
    name: request.name ?? null,
    type: request.type,
    submittedAt: now,
    requestedStart: request.start ?? null,
    deadline: request.deadline ?? null,
    originalDuration: request.originalDuration ?? request.duration,
    duration: request.duration,
    knownDuration: request.knownDuration ?? null,
    preemptible: request.preemptible,
    machines: request.machines,
    image: request.image ?? null,
    owner: request.owner ?? null,
    project: request.project ?? null,
    endNotice: request.endNotice ?? null,
    occurrenceOf: request.occurrenceOf ?? null,
  });
}

/** Null admits the lease. */
const judge = (
  state: SchedulerState,
  lease: Lease,
  now: Instant,
): { readonly state: 'REJECTED' | 'FAILED'; readonly reason: StateReason } | null => {
  try {
    const reason = whyRefused(state, lease, now);
    return reason && { state: 'REJECTED', reason };
  } catch (error) {
    const reason = schedulingFault(error);
    expectToGoOn(state, lease, reason);
    return { state: 'FAILED', reason };
  }
};

/** A lease with its precomputed data. */
export const makeLease = ({ space }: Pick<SchedulerState, 'space'>, terms: LeaseTerms): Lease =>
  new Lease(terms, demandOf(space, terms.machines));

/** Why a lease is rejected at request time; null if it is admitted. */
export const whyRefused = (state: SchedulerState, lease: Lease, now: Instant): StateReason | null => {
  const impossible = whyNeverPossible(state.space, lease, state.table.nodes);
  if (impossible) return impossible;
  const ofType = rulesOf(lease.type).whyImpossible(state, lease, now);
  const beyondQuota = ofType ?? state.quotas.whyRefused(lease, maxNeed(state, lease), state.leases.values());
  return beyondQuota ?? state.policies.admission.admit(lease.view, state.siteView);
};

/** The maximum time for which a best-effort lease must fit, independent of what has already run. */
function maxNeed({ planning: { estimates } }: SchedulerState, lease: Lease): Millis {
  const shutdown = estimates.shutdown(lease);
  const whole = lease.duration + shutdown;
  if (!estimates.canSuspend(lease)) return whole;
  return Math.min(whole + estimates.resume(lease), quotaThreshold(estimates.threshold(lease, true)) + shutdown);
}

const refuse = (message: string, ...path: string[]): never => {
  throw new SchedulerError('INVALID_REQUEST', message, path);
};

const validate = (request: LeaseRequest): void => {
  const { type, machines, duration, image, knownDuration } = request;
  const { validate: validateForType } = rulesOf(type);
  if (machines.length === 0) refuse('A lease must have at least one machine.', 'machines');
  validateMachines(machines);
  if (!Number.isSafeInteger(duration) || duration <= 0)
    refuse(`The duration is ${duration} ms; it must be longer than 0.`, 'duration');
  if (knownDuration != null && (!Number.isSafeInteger(knownDuration) || knownDuration < 0))
    refuse(`The known duration is ${knownDuration} ms; it must be 0 or longer.`, 'knownDuration');
  if (request.endNotice != null && !isDuration(request.endNotice))
    refuse(`The end notice is ${request.endNotice} ms; it must be 0 or longer.`, 'endNotice');
  validateForType(request);
  if (image && (image.name === '' || !Number.isSafeInteger(image.sizeMb) || image.sizeMb < 0)) {
    refuse(
      `Disk image "${image.name}" of ${image.sizeMb} MB is not valid: it needs a name and a size in whole MB.`,
      'image',
    );
  }
};

/** Validated lists, which leases of a trace share. */
const validLists = new WeakSet<LeaseRequest['machines']>();

const validateMachines = (machines: LeaseRequest['machines']): void => {
  if (validLists.has(machines)) return;
  machines.forEach((amounts, index) => {
    for (const [name, amount] of Object.entries(amounts)) {
      for (const quantity of typeof amount === 'number' ? [amount] : amount) {
        if (!Number.isSafeInteger(quantity) || quantity < 0) {
          refuse(
            `Machine ${index + 1} requests ${quantity} ${name}; amounts are whole numbers of 0 or more.`,
            'machines',
            String(index),
            name,
          );
        }
      }
    }
    if (
      Object.values(amounts)
        .flat()
        .every((quantity) => quantity === 0)
    ) {
      refuse(
        `Machine ${index + 1} requests no resources; each machine must request at least one.`,
        'machines',
        String(index),
      );
    }
  });
  validLists.add(machines);
};
