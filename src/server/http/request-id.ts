import { randomUUID } from 'node:crypto';

/** The client's own id of the request when it is usable, otherwise a new one. */
export function requestIdFrom(given: string | null | undefined): string {
  return given && /^[\x21-\x7e]{1,128}$/.test(given) ? given : randomUUID();
}
