import { randomUUID } from 'node:crypto';

/** The client's request id if valid, otherwise a new one. */
export function requestIdFrom(given: string | null | undefined): string {
  return given && /^[\x21-\x7e]{1,128}$/.test(given) ? given : randomUUID();
}
