import { SchedulerError } from '../errors.ts';
import { whyNeverPossible } from '../mapping/empty-site.ts';
import { machineOrder } from '../mapping/machine-order.ts';
import type { Need } from '../model/capacity.ts';
import { Lease, type LeaseTerms } from '../model/lease.ts';
import type { Amounts, Instant, LeaseRequest, StateReason } from '../model/records.ts';
import type { SchedulerState } from '../state.ts';
import { expectToGoOn, schedulingFault } from './endings.ts';

/**
 * NEW -> PENDING, and on to REJECTED when it can never run here or admission says no; to FAILED when admission cannot tell. Throws INVALID_REQUEST
 * or LEASE_FAILURE, and then nothing has changed.
 */
export const requestLease = (state: SchedulerState, request: LeaseRequest, now: Instant): Lease => {
  validate(request);
  const id = request.id ?? state.lastLeaseId + 1;
  if (state.leases.has(id))
    throw new SchedulerError('INVALID_REQUEST', `there is already a lease ${id}`, ['id']);
  const lease = makeLease(state, {
    id,
    name: request.name ?? null,
    type: request.type,
    submittedAt: now,
    requestedStart: request.start ?? null,
    originalDuration: request.originalDuration ?? request.duration,
    duration: request.duration,
    knownDuration: request.knownDuration ?? null,
    preemptible: request.preemptible,
    machines: request.machines,
    image: request.image ?? null,
  });
  const verdict = judge(state, lease);
  state.lastLeaseId = Math.max(state.lastLeaseId, id);
  state.leases.set(id, lease);
  state.transition(lease, 'PENDING', now);
  state.needsPass = true;
  if (verdict) {
    state.transition(lease, verdict.state, now, verdict.reason);
    state.forget(lease, now);
  }
  return lease;
};

/** Null lets it in. */
const judge = (
  state: SchedulerState,
  lease: Lease,
): { readonly state: 'REJECTED' | 'FAILED'; readonly reason: StateReason } | null => {
  try {
    const reason = whyRefused(state, lease);
    return reason && { state: 'REJECTED', reason };
  } catch (error) {
    const reason = schedulingFault(error);
    expectToGoOn(state, lease, reason);
    return { state: 'FAILED', reason };
  }
};

/** A lease with everything about it that is worked out once. Equal machines share one need. */
export const makeLease = ({ space }: SchedulerState, terms: LeaseTerms): Lease => {
  const nothing: Need = { vector: space.zero, used: [], shares: [] };
  const needs = [nothing];
  const byAmounts = new Map<Amounts, Need>();
  const byText = new Map<string, Need>();
  const counts = new Map<Need, number>();
  terms.machines.forEach((amounts, index) => {
    let need = byAmounts.get(amounts);
    if (!need) {
      const text = JSON.stringify(amounts);
      need = byText.get(text) ?? needOf(() => space.need(amounts), index);
      byText.set(text, need);
      byAmounts.set(amounts, need);
    }
    needs.push(need);
    counts.set(need, (counts.get(need) ?? 0) + 1);
  });
  const totals = space.types.map(() => 0);
  for (const [need, count] of counts) {
    space.needTotals(need).forEach((amount, type) => {
      totals[type] = (totals[type] as number) + amount * count;
    });
  }
  const uniform = counts.size === 1 && (needs[1] as Need).shares.length === 0;
  const memory = [0, ...terms.machines.map((amounts) => memoryOf(amounts))];
  const order = uniform ? terms.machines.map((_amounts, index) => index + 1) : machineOrder(space, needs);
  return new Lease(terms, needs, memory, order, totals, uniform);
};

const needOf = (make: () => Need, index: number): Need => {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof SchedulerError)) throw error;
    throw new SchedulerError(error.code, `machine ${index + 1}: ${error.message}`, [
      'machines',
      String(index),
      ...error.path,
    ]);
  }
};

const memoryOf = ({ Memory: memory = 0 }: Amounts): number =>
  typeof memory === 'number' ? memory : memory.reduce((sum, amount) => sum + amount, 0);

const whyRefused = (state: SchedulerState, lease: Lease): StateReason | null => {
  const impossible = whyNeverPossible(state.space, lease, state.table.nodes);
  if (impossible) return impossible;
  const shutdown = state.planning.estimates.shutdown(lease);
  if (lease.type === 'ADVANCE_RESERVATION' && lease.duration < shutdown) {
    return {
      code: 'SHORTER_THAN_SHUTDOWN',
      message: `it lasts ${lease.duration / 1000} s, and shutting its machines down takes ${shutdown / 1000} s of that`,
    };
  }
  return state.policies.admission.admit(lease.view, state.siteView);
};

const validate = ({ type, machines, duration, start, image, knownDuration }: LeaseRequest): void => {
  const refuse = (message: string, ...path: string[]): never => {
    throw new SchedulerError('INVALID_REQUEST', message, path);
  };
  if (type === 'DEADLINE')
    throw new SchedulerError('UNSUPPORTED_LEASE_TYPE', 'leases with a deadline cannot be scheduled here', [
      'type',
    ]);
  if (machines.length === 0) refuse('a lease needs one machine at least', 'machines');
  machines.forEach((amounts, index) => {
    for (const [name, amount] of Object.entries(amounts)) {
      for (const quantity of typeof amount === 'number' ? [amount] : amount) {
        if (!Number.isSafeInteger(quantity) || quantity < 0) {
          refuse(
            `machine ${index + 1} asks for ${quantity} ${name}: amounts are whole numbers from 0 on`,
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
      refuse(`machine ${index + 1} asks for nothing`, 'machines', String(index));
    }
  });
  if (!Number.isSafeInteger(duration) || duration <= 0)
    refuse(`the duration is ${duration} ms: it must be longer than 0`, 'duration');
  if (knownDuration != null && (!Number.isSafeInteger(knownDuration) || knownDuration < 0))
    refuse(`the known duration is ${knownDuration} ms`, 'knownDuration');
  if (type === 'ADVANCE_RESERVATION') {
    if (start == null || !Number.isSafeInteger(start))
      refuse('an advance reservation needs a start', 'start');
  } else if (start != null) {
    refuse('only an advance reservation has a start', 'start');
  }
  if (image && (image.name === '' || !Number.isSafeInteger(image.sizeMb) || image.sizeMb < 0)) {
    refuse(
      `disk image "${image.name}" of ${image.sizeMb} MB: it needs a name and a size in whole MB`,
      'image',
    );
  }
};
