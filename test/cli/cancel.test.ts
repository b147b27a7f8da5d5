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

it('tells with --dry-run of each lease which others would start earlier, and so does end', async () => {
  const at = (time: string) => Date.parse(`2030-01-31T${time}Z`);
  const sooner = [
    { lease: 2, planned: at('09:00:00'), start: at('08:00:00') },
    { lease: 3, planned: null, start: at('09:30:00') },
  ];
  api.leases.submitted.length = 0;
  api.leases.result = async () => ({ ends: [1], sooner, isComplete: false });
  const { status, out, err } = await cli('cancel', '1', '4', '--dry-run', ...server);
  expect(status).toBe(1);
  expect(out).toBe(
    [
      'would be accepted',
      'ends  1',
      '',
      'SOONER  NAME  STATE   PLANNED (UTC)        WOULD START (UTC)',
      '     2        ACTIVE  2030-01-31 09:00:00  2030-01-31 08:00:00',
      '     3        ACTIVE  no plan              2030-01-31 09:30:00',
      'Only the first waiting leases were tried. More may start earlier.\n',
    ].join('\n'),
  );
  expect(err).toBe('leasegraph: lease 4: there is no such lease [LEASE_NOT_FOUND]\n');
  api.leases.result = async () => ({ ends: [1], sooner: [], isComplete: true });
  const ended = await cli('end', '1', '--dry-run', ...server);
  expect([ended.status, ended.out]).toEqual([
    ...[0, 'would be accepted\nends  1\nNo other lease would start earlier.\n'],
  ]);
  expect(JSON.parse((await cli('cancel', '1', '--dry-run', '--json', ...server)).out)).toMatchObject([
    { accepted: true, ends: [{ number: 1 }], sooner: [], isComplete: true },
  ]);
  expect(api.leases.submitted.map(({ kind }) => kind)).toEqual([
    ...['rehearseCancel', 'rehearseEnd', 'rehearseCancel'],
  ]);
});
