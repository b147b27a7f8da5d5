/** A day in the life of a site with two libvirt hosts, twenty times as fast as its clock says. */
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { PrivateDaemon } from '../../src/enactment/libvirt/private-daemon.ts';
import { guestSays, libvirtNodes, missingPrograms, powerOff } from '../support/libvirt.ts';
import { build, run, type ServerProcess, startServer } from '../support/server-process.ts';

const folder = mkdtempSync(join(tmpdir(), 'leasegraph-day-'));
// The daemons of a test that runs as root do not.
chmodSync(folder, 0o755);

/** Of the site's clock. */
const speed = 20;

interface Lease {
  readonly id: string;
  readonly number: number;
  readonly state: string;
  readonly submittedAt: string;
  readonly stateReason: { readonly code: string } | null;
  readonly machines: readonly { readonly node: { readonly hostname: string } | null }[];
}

let server: ServerProcess;

async function ask<T>(query: string, variables: object = {}): Promise<T> {
  const response = await fetch(server.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${server.token}` },
    body: JSON.stringify({ query, variables }),
  });
  const { data, errors } = (await response.json()) as { data: T; errors?: unknown };
  expect(errors).toBeUndefined();
  return data;
}

async function request(input: object): Promise<string> {
  const { requestLease } = await ask<{ requestLease: { lease: Lease | null; userErrors: unknown[] } }>(
    'mutation ($input: RequestLeaseInput!) { requestLease(input: $input) { lease { id } userErrors { code message } } }',
    {
      input: {
        machines: [
          {
            count: 1,
            capacity: [
              { type: 'CPU', amount: 100 },
              { type: 'Memory', amount: 16 },
            ],
          },
        ],
        diskImage: { name: 'guest', sizeMb: 1 },
        ...input,
      },
    },
  );
  expect(requestLease.userErrors).toEqual([]);
  return requestLease.lease?.id ?? '';
}

async function leaseOf(id: string): Promise<Lease> {
  const { node } = await ask<{ node: Lease }>(
    `query ($id: ID!) { node(id: $id) { ... on Lease {
      id number state submittedAt stateReason { code } machines { node { hostname } }
    } } }`,
    { id },
  );
  return node;
}

/** Waits until the lease is in one of the states. */
async function reaches(id: string, ...states: readonly string[]): Promise<Lease> {
  for (;;) {
    const lease = await leaseOf(id);
    if (states.includes(lease.state)) return lease;
    if (['FAILED', 'REJECTED', 'DONE', 'CANCELLED'].includes(lease.state))
      throw new Error(`lease ${lease.number} is ${lease.state} (${JSON.stringify(lease.stateReason)}), not ${states}`);
    await sleep(200);
  }
}

describe.skipIf(missingPrograms.length > 0)(
  `libvirt${missingPrograms.length > 0 ? ` (not installed: ${missingPrograms.join(', ')})` : ''}`,
  () => {
    let daemons: readonly PrivateDaemon[] = [];
    let start: () => Promise<ServerProcess>;

    beforeAll(async () => {
      await build();
      const libvirt = await libvirtNodes(2, folder);
      daemons = libvirt.daemons;
      const { hosts, via, template, images } = libvirt.options;
      const config = {
        site: { nodes: [{ count: 2, hostname: 'node-%d', capacity: { CPU: 100, Memory: 64 } }] },
        clock: { speed },
        scheduler: {
          suspension: 'all',
          preemption: 'ar-preempts-everything',
          overrideSuspendTime: 100,
          overrideResumeTime: 100,
          shutdownTime: 100,
        },
        adapter: {
          kind: 'libvirt',
          namePrefix: 'day',
          domainType: 'qemu',
          shutdownGrace: 4,
          hosts,
          via,
          template,
          images,
        },
        hosts: { inspectInterval: 1, maxFailures: 3 },
      };
      start = () => startServer({ dataDir: join(folder, 'data'), config });
    });
    afterAll(async () => {
      await server?.stop('SIGKILL');
      for (const daemon of daemons) daemon.stop();
      rmSync(folder, { recursive: true, force: true });
    });

    const hostOf = ({ machines }: Lease): PrivateDaemon =>
      daemons[machines[0]?.node?.hostname === 'node-1' ? 0 : 1] as PrivateDaemon;
    const nameOf = ({ number }: Lease): string => `day-${number}-1`;
    /** What only the memory of the lease's machine knows. */
    const listen = (lease: Lease) => guestSays(hostOf(lease), nameOf(lease));

    test('preemption with memory intact, a server killed, a machine that stops, and a host that is lost', async () => {
      server = await start();
      const bestEffort = { type: 'BEST_EFFORT', duration: 'PT1H' };
      const began = performance.now();
      const ids = [await request(bestEffort), await request(bestEffort)];
      const before = new Map<string, string>();
      for (const id of ids) before.set(id, (await listen(await reaches(id, 'ACTIVE'))).secret);

      // A reservation takes a node: the lease on it is saved to disk.
      const { submittedAt } = await leaseOf(ids[0] ?? '');
      const now = Date.parse(submittedAt) + (performance.now() - began) * speed;
      const reservation = await request({
        type: 'ADVANCE_RESERVATION',
        start: new Date(now + 220_000).toISOString(),
        duration: 'PT8M',
      });
      const suspended = ['SUSPENDING', 'SUSPENDED_PENDING', 'SUSPENDED_QUEUED', 'SUSPENDED_SCHEDULED'];
      const victim = await Promise.any(
        ids.map(async (id) => {
          for (;;) {
            const lease = await leaseOf(id);
            if (suspended.slice(1).includes(lease.state)) return lease;
            await sleep(200);
          }
        }),
      );
      const other = ids.find((id) => id !== victim.id) ?? '';
      const memory = join(hostOf(victim).files, 'machines', nameOf(victim), 'memory');
      expect(existsSync(memory)).toBe(true);
      const reserved = await reaches(reservation, 'ACTIVE');
      const reservedSays = await listen(reserved);

      // The server dies in the middle, without a word. Its machines do not.
      await server.stop('SIGKILL');
      server = await start();
      expect((await listen(reserved)).secret).toBe(reservedSays.secret);

      // After the reservation the victim goes on where it was.
      await reaches(reservation, 'DONE');
      const resumed = await listen(await reaches(victim.id, 'ACTIVE'));
      expect(resumed.secret).toBe(before.get(victim.id));
      expect(existsSync(memory)).toBe(false);

      // The other lease's machine powers off: the lease ends long before its time.
      const running = await leaseOf(other);
      expect(running.state).toBe('ACTIVE');
      expect((await listen(running)).secret).toBe(before.get(other));
      await powerOff(hostOf(running), nameOf(running));
      await reaches(other, 'DONE');

      // The victim's host is lost, and all that ran there: the lease begins anew on the other host.
      const lost = await leaseOf(victim.id);
      hostOf(lost).kill();
      let moved = lost;
      while (moved.state !== 'ACTIVE' || moved.machines[0]?.node?.hostname === lost.machines[0]?.node?.hostname) {
        expect(['FAILED', 'DONE']).not.toContain(moved.state);
        await sleep(200);
        moved = await leaseOf(victim.id);
      }
      expect((await listen(moved)).secret).not.toBe(before.get(victim.id));

      // Nothing stays behind on a host that can be reached.
      const { cancelLease } = await ask<{ cancelLease: { userErrors: unknown[] } }>(
        'mutation ($id: ID!) { cancelLease(input: { id: $id }) { userErrors { code } } }',
        { id: victim.id },
      );
      expect(cancelLease.userErrors).toEqual([]);
      const machines = join(hostOf(moved).files, 'machines');
      while (readdirSync(machines).length > 0) await sleep(200);

      // What the hosts have shown is there to plan by.
      const { code, stdout } = await run([
        ...['rates', '--json', '--server', new URL('/', server.url).href, '--token', server.token],
      ]);
      expect(code).toBe(0);
      const rates = JSON.parse(stdout) as { node: string; kind: string; count: number; min: number }[];
      const victimNode = victim.machines[0]?.node?.hostname;
      expect(rates).toContainEqual(
        expect.objectContaining({ node: victimNode, kind: 'SUSPEND', count: 1, min: expect.any(Number) }),
      );
      expect(rates.map(({ kind }) => kind)).toContain('RESUME');
    }, 240_000);
  },
);
