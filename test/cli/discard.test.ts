import { afterAll, expect, it } from 'vitest';
import { CommandError } from '../../src/engine/ports.ts';
import { lease } from '../api/fixture.ts';
import { servedApi } from './served-api.ts';
import { cli } from './terminal.ts';

const api = await servedApi();
const { server } = api;
afterAll(() => api[Symbol.asyncDispose]());

it('discards a quarantined lease, and says why it does not', async () => {
  await api.prisma.lease.create({ data: lease(4, { state: 'READY', isQuarantined: true }) });
  const listed = await cli('leases', '--state', 'QUARANTINED', ...server);
  expect(listed.out).toMatch(/^ +4 .*QUARANTINED/m);
  api.leases.result = async () => {
    await api.prisma.lease.update({ where: { number: 4 }, data: { state: 'FAILED', isQuarantined: false } });
    return { leaseNumber: 4 };
  };
  const { status, out } = await cli('discard', '4', ...server);
  expect(status).toBe(0);
  expect(out).toMatch(/^ +4 .*FAILED/m);
  expect(api.leases.submitted).toEqual([{ kind: 'discard', input: { leaseNumber: 4 } }]);
  api.leases.result = async () => {
    throw new CommandError('LEASE_NOT_QUARANTINED', 'Lease 4 is sound.');
  };
  expect(await cli('discard', '4', ...server)).toMatchObject({
    status: 1,
    err: 'leasegraph: Lease 4 is sound. [LEASE_NOT_QUARANTINED]\n',
  });
});
