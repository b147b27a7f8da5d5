/** Small requests that are timed while something else is going on. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { GraphQLClient } from './client.ts';

const bareFile = fileURLToPath(new URL('bare-server.mjs', import.meta.url));
/** Between two probes (ms). */
const pause = 20;

/** Carries an action out again and again, each shortly after the last, and says how long each took (ms). */
export async function repeatedly(duration: number, action: () => Promise<void>): Promise<number[]> {
  const until = performance.now() + duration;
  const times: number[] = [];
  while (performance.now() < until) {
    const sent = performance.now();
    await action();
    times.push(performance.now() - sent);
    await sleep(pause);
  }
  return times;
}

/** A connection of its own for each, as health checks have. */
export function check(url: string): Promise<void> {
  return new Promise((resolve, reject) => {
    get(url, { agent: false }, (response) => {
      response.resume();
      response.on('end', resolve);
    }).on('error', reject);
  });
}

/** A process that answers health checks and does nothing else: how late it is, the machine is. */
export class Bare {
  private constructor(
    private readonly child: ChildProcess,
    private readonly url: string,
  ) {}

  static async start(): Promise<Bare> {
    const child = fork(bareFile, { execArgv: [] });
    const [port] = (await once(child, 'message')) as [number];
    return new Bare(child, `http://127.0.0.1:${port}/`);
  }

  probe(duration: number): Promise<number[]> {
    return repeatedly(duration, () => check(this.url));
  }

  stop(): void {
    this.child.kill();
  }
}

const mutation = `mutation ($input: RequestLeaseInput!) {
  requestLease(input: $input) { lease { number state } userErrors { code message } }
}`;
const amounts = { CPU: 100, Memory: 1_024 };
const input = {
  type: 'BEST_EFFORT',
  name: 'a lease',
  duration: 'PT1H',
  machines: [{ count: 2, capacity: Object.entries(amounts).map(([type, amount]) => ({ type, amount })) }],
};

/** Requests best-effort leases, one after the other. */
export async function requestLease(client: GraphQLClient, count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    const { requestLease: payload } = await client.operation<{
      requestLease: { lease: unknown; userErrors: unknown };
    }>(mutation, { input });
    if (payload.lease === null) throw new Error(`refused: ${JSON.stringify(payload.userErrors)}`);
  }
}
