import { afterAll, expect, it } from 'vitest';
import { CommandError } from '../../src/engine/ports.ts';
import { listen } from '../../src/server/http/listen.ts';
import { apiOnNewDatabase, lease, token } from '../api/fixture.ts';
import { cli } from './terminal.ts';

const api = await apiOnNewDatabase();
const listening = await listen('127.0.0.1', 0);
listening.serve(api.app);
afterAll(async () => {
  await listening.close(1_000);
  await api[Symbol.asyncDispose]();
});

it('names each lease that it could not cancel once, and cancels the others', async () => {
  for (const number of [1, 2, 3]) await api.prisma.lease.create({ data: lease(number, { state: 'ACTIVE' }) });
  api.leases.cancel = async (number) => {
    if (number === 1) throw new CommandError('LEASE_ENDED', 'Lease 1 has ended.');
    if (number === 2) throw new CommandError('UNAVAILABLE', 'The database is out of reach.');
  };
  const { status, out, err } = await cli(
    ...['cancel', '1', '2', '3', '4', '--server', listening.url, '--token', token],
  );
  expect(status).toBe(1);
  expect(out).toMatch(/^ +3 /m);
  expect(err).toBe(
    'leasegraph: Lease 1 has ended. [LEASE_ENDED]; lease 2: The database is out of reach. [UNAVAILABLE]; lease 4: there is no such lease [LEASE_NOT_FOUND]\n',
  );
});
