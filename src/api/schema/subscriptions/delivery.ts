import { CommandError } from '../../../engine/ports.ts';
import { clientError } from '../../errors.ts';
import type { Delivery } from '../../feed-stream.ts';
import { unexpected } from '../mutations/payload.ts';

/** Throws the error that ends the subscription. */
export function recordOf<R>(delivery: Delivery<R>): R {
  if ('record' in delivery) return delivery.record;
  throw asClientError(delivery.failure);
}

function asClientError(failure: unknown): unknown {
  return failure instanceof CommandError && failure.code !== 'INTERNAL'
    ? clientError(failure.code, failure.message)
    : unexpected(failure);
}
