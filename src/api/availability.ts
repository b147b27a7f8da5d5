import { type Availability, type AvailabilityQuestion, joinAvailability } from '../core/index.ts';
import type { LeaseService } from '../engine/ports.ts';
import type { Identity } from '../identity/index.ts';

/**
 * When machines are available. The scheduler answers in parts, between which it does its other work. The parts are of
 * different moments: what is requested, ends or moves meanwhile counts from then on. Throws the reason of the signal.
 */
export async function askAvailability(
  leases: LeaseService,
  question: AvailabilityQuestion,
  principal: Identity,
  signal: AbortSignal | undefined,
): Promise<Availability> {
  const ask = (from: number) => leases.submit('availability', { ...question, from }, { principal });
  let answer = await ask(question.from);
  // A writer of an earlier version does not say from where.
  while (typeof answer.continueFrom === 'number') {
    signal?.throwIfAborted();
    answer = joinAvailability(answer, await ask(answer.continueFrom));
  }
  return answer;
}
