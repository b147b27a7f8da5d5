import { afterAll, expect, it } from 'vitest';
import { CommandError } from '../../src/engine/ports.ts';
import { lease } from '../api/fixture.ts';
import { servedApi } from './served-api.ts';
import { cli } from './terminal.ts';

const api = await servedApi();
const { server } = api;
afterAll(() => api[Symbol.asyncDispose]());

it('names each lease that it could not cancel once, and cancels the others', async () => {
  for (const number of [1, 2, 3]) await api.prisma.lease.create({ data: lease(number, { state: 'ACTIVE' }) });
  api.leases.cancel = async (number) => {
    if (number === 1) throw new CommandError('LEASE_ENDED', 'Lease 1 has ended.');
    if (number === 2) throw new CommandError('UNAVAILABLE', 'The database is out of reach.');
  };
  const { status, out, err } = await cli(...['cancel', '1', '2', '3', '4', ...server]);
  expect(status).toBe(1);
  expect(out).toMatch(/^ +3 /m);
  expect(err).toBe(
    'leasegraph: Lease 1 has ended. [LEASE_ENDED]; lease 2: The database is out of reach. [UNAVAILABLE]; lease 4: there is no such lease [LEASE_NOT_FOUND]\n',
  );
});
