/** A careful client over HTTP: it repeats a command with the same key until it is answered. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from './random.ts';
import type { Server } from './server.ts';

export const token = 'a-token-for-tests';
export const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };

/** A running server answers within this time; a suspended one is given up (ms). */
const patience = 5_000;

export interface UserError {
  readonly code: string;
  readonly message: string;
}

/** One attempt. If the answer is lost, the outcome is unknown. Never rejects. */
export const ask = async <T>(
  url: string,
  query: string,
  variables: object,
): Promise<{ data: T } | { lost: string }> => {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers,
      body: JSON.stringify({ query, variables }),
      signal: AbortSignal.timeout(patience),
    });
    const body = (await response.json()) as { data?: T | null; errors?: readonly { message: string }[] };
    if (body.errors || !body.data) return { lost: body.errors?.[0]?.message ?? `status ${response.status}` };
    return { data: body.data };
  } catch (error) {
    return { lost: String(error) };
  }
};

const retryable = new Set(['UNAVAILABLE', 'SHUTTING_DOWN']);

/** One of the servers, preferably one that has not been stopped for good, because that one would never listen. */
export const pickServer = (servers: readonly Server[], random: Random): Server => {
  const wanted = servers.filter(({ isWanted }) => isWanted);
  return random.pick(wanted.length > 0 ? wanted : servers);
};

/** Sends a mutation to one server after the other until it is answered. Null if the signal aborts first. */
export const insist = async <T extends { readonly userErrors: readonly UserError[] }>(
  servers: readonly Server[],
  query: string,
  variables: object,
  random: Random,
  signal: AbortSignal,
): Promise<T | null> => {
  for (let attempt = 0; !signal.aborted; attempt += 1) {
    if (attempt > 0) await sleep(random.between(10, 100));
    const url = await pickServer(servers, random)
      .url(signal)
      .catch(() => null);
    if (url === null) return null;
    const answer = await ask<{ payload: T }>(url, query, variables);
    if ('lost' in answer) continue;
    const { payload } = answer.data;
    if (!payload.userErrors.some(({ code }) => retryable.has(code))) return payload;
  }
  return null;
};
