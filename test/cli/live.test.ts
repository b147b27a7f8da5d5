/** Commands that run until they are stopped. */
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { runCli } from '../../src/cli/leasegraph.ts';
import { listen } from '../../src/server/http/listen.ts';
import { apiOn, apiOnNewDatabase, lease, now, token } from '../api/fixture.ts';

const database = await apiOnNewDatabase();
beforeAll(async () => {
  await database.prisma.lease.create({ data: lease(1, { name: 'first', state: 'ACTIVE' }) });
});
afterAll(() => database[Symbol.asyncDispose]());

/** A command against a server of its own: what it has printed so far, and its end when the server stops. */
async function running(...argv: string[]) {
  const { app, leases } = apiOn(database.prisma);
  const listening = await listen('127.0.0.1', 0);
  listening.serve(app);
  const written = { out: '', err: '' };
  const status = runCli([...argv, '--server', listening.url, '--token', token], {
    out: (text) => {
      written.out += text;
    },
    err: (text) => {
      written.err += text;
    },
    interactive: false,
    columns: 80,
    tableWidth: Number.POSITIVE_INFINITY,
  });
  let open = true;
  const stop = async () => {
    if (!open) return;
    open = false;
    await app.endSubscriptions();
    await listening.close(1_000);
  };
  onTestFinished(stop);
  return { leases, written, status, stop };
}

const event = (sequence: number, to: 'ACTIVE' | 'DONE') =>
  ({ sequence, at: now, leaseId: 1, from: 'READY', to, reason: null }) as const;
const sequencesOf = (out: string) =>
  out
    .trim()
    .split('\n')
    .map((line) => (line === '' ? null : JSON.parse(line).sequence));

it('events --follow prints what has happened and what happens, and says that the server has stopped', async () => {
  const { leases, written, status, stop } = await running('events', '--follow', '--after', '1', '--jsonl');
  leases.publish(event(1, 'ACTIVE'), event(2, 'ACTIVE'));
  await vi.waitFor(() => expect(sequencesOf(written.out)).toEqual([2]), 60_000);
  leases.publish(event(3, 'DONE'));
  await vi.waitFor(() => expect(sequencesOf(written.out)).toEqual([2, 3]), 60_000);
  await stop();
  expect(await status).toBe(1);
  expect(written.err).toMatch(/\[UNREACHABLE\]\n$/);
});

it('leases --watch prints the list again when a lease changes', async () => {
  const { leases, written, status, stop } = await running('leases', '--watch', '--jsonl');
  const states = () =>
    written.out
      .trim()
      .split('\n')
      .map((line) => (line === '' ? null : JSON.parse(line).state));
  await vi.waitFor(() => expect(leases.streams).toBe(1), 60_000);
  expect(states()).toEqual(['ACTIVE']);
  await database.prisma.lease.update({ where: { number: 1 }, data: { state: 'DONE' } });
  let sequence = 0;
  // An event from before the subscription is not delivered, so there is another one each time.
  await vi.waitFor(() => {
    leases.publish(event(++sequence, 'DONE'));
    expect(states().slice(0, 2)).toEqual(['ACTIVE', 'DONE']);
  }, 60_000);
  await stop();
  expect(await status).toBe(1);
});
