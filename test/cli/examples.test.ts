import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it, onTestFinished } from 'vitest';
import { listen } from '../../src/server/http/listen.ts';
import { apiOnNewDatabase, lease, now, token } from '../api/fixture.ts';

const api = await apiOnNewDatabase();
const listening = await listen('127.0.0.1', 0);
listening.serve(api.app);
afterAll(async () => {
  await listening.close(1_000);
  await api[Symbol.asyncDispose]();
});

it('docs/examples/subscribe.mjs prints events after the one that it is told', async () => {
  await api.prisma.lease.create({ data: lease(7, { state: 'ACTIVE' }) });
  const event = { at: now, leaseId: 7, reason: null } as const;
  api.leases.publish(
    { ...event, sequence: 1, from: 'NEW', to: 'PENDING' },
    { ...event, sequence: 2, from: 'READY', to: 'ACTIVE' },
  );
  const program = fileURLToPath(new URL('../../docs/examples/subscribe.mjs', import.meta.url));
  const env = { ...process.env, LEASEGRAPH_SERVER: listening.url, LEASEGRAPH_TOKEN: token };
  const child = spawn(process.execPath, [program, '1'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  expect((await lines.next()).value).toBe('2 2030-01-31T08:00:00.000Z lease 7: READY -> ACTIVE');
});
