import { afterAll, beforeAll, expect, it } from 'vitest';
import { CommandError } from '../../src/engine/ports.ts';
import { createNodes, hour, lease, now } from '../api/fixture.ts';
import { servedApi } from './served-api.ts';
import { cli } from './terminal.ts';

const api = await servedApi();
const { server } = api;
afterAll(() => api[Symbol.asyncDispose]());
const machines = ['--machines', '2 CPU:100', '--duration', '1h'];

beforeAll(async () => {
  await createNodes(api.prisma, 2);
  await api.prisma.lease.createMany({ data: [lease(7, { state: 'QUEUED' }), lease(8, { state: 'ACTIVE' })] });
});

it('availability prints the first start, and with --to all of them', async () => {
  const windows = [{ start: now + hour, end: now + 2 * hour }];
  api.leases.result = async () => ({ earliestStart: now + hour, windows });
  const first = await cli('availability', ...machines, ...server);
  expect([first.status, first.err, first.out]).toEqual([0, '', 'earliest start (UTC)  2030-01-31 09:00:00\n']);
  const all = await cli('availability', ...machines, '--from', 'now', '--to', '+1d', ...server);
  expect(all.out).toMatch(/UNTIL \(UTC\)\n2030-01-31 09:00:00 +2030-01-31 10:00:00\n$/);
  expect(api.leases.submitted.at(-1)).toMatchObject({
    kind: 'availability',
    input: { duration: hour, from: now, to: now + 24 * hour },
  });
  api.leases.result = async () => ({ earliestStart: null, windows: [] });
  expect((await cli('availability', ...machines, ...server)).out).toBe('These machines are not available.\n');
  expect((await cli('availability', '--duration', '1h', ...server)).status).toBe(2);
});

it('explain says why a lease does not run', async () => {
  api.leases.result = async () => ({
    code: 'RESOURCES',
    blockedBy: [8],
    estimatedStart: now + hour,
    longestNow: hour / 2,
  });
  const { status, err, out } = await cli('explain', '7', ...server);
  expect([status, err]).toEqual([0, '']);
  expect(out).toMatch(/^lease 7 is QUEUED\nwaits {7}\S/);
  expect(out).toMatch(/\[RESOURCES\]\nblocked by {2}8\nstart {7}~2030-01-31 09:00:00\nfits now {4}with/);
  expect(out).toContain('at most 00:30:00\n');
  const detail = await cli('lease', '7', ...server);
  expect([detail.status, detail.err]).toEqual([0, '']);
  expect(detail.out).toMatch(/^state +QUEUED\nwaits +.* \[RESOURCES\]$/m);
  expect(JSON.parse((await cli('lease', '7', '--json', ...server)).out).waiting).toMatchObject({
    code: 'RESOURCES',
    blockedBy: [{ number: 8 }],
  });
  api.leases.result = async () => {
    throw new CommandError('UNAVAILABLE', 'no server of the site is the writer', [], true);
  };
  expect((await cli('lease', '7', ...server)).out).toMatch(/^state +QUEUED\n(?!waits)/m);
  api.leases.result = async () => null;
  expect((await cli('explain', '8', ...server)).out).toBe('lease 8 is ACTIVE: it does not wait.\n');
  expect((await cli('explain', '9', ...server)).err).toBe('leasegraph: there is no lease 9 [LEASE_NOT_FOUND]\n');
});

it('request --dry-run says what would happen, and fails where the request would be rejected', async () => {
  const plan = {
    accepted: true,
    reason: null,
    start: now,
    end: now + hour,
    machines: { 1: 1, 2: 2 },
    displaces: [8],
    firstPossibleStart: null,
  };
  api.leases.requests.length = 0;
  api.leases.result = async () => plan;
  const accepted = await cli('request', '--dry-run', ...machines, ...server);
  expect([accepted.status, accepted.err]).toEqual([0, '']);
  expect(accepted.out).toBe(
    [
      'would be accepted',
      'start        ~2030-01-31 08:00:00',
      'end          ~2030-01-31 09:00:00',
      'nodes        node-1 node-2',
      'displaces    8\n',
    ].join('\n'),
  );
  api.leases.result = async () => ({
    ...plan,
    accepted: false,
    reason: { code: 'NO_CAPACITY', message: 'it does not fit' },
    start: null,
    end: null,
    machines: null,
    displaces: [],
    firstPossibleStart: now + hour,
  });
  const rejected = await cli('request', '--dry-run', '--type', 'immediate', ...machines, ...server);
  expect([rejected.status, rejected.out, rejected.err]).toEqual([
    1,
    'would be rejected: it does not fit [NO_CAPACITY]\ncould start  2030-01-31 09:00:00\n',
    '',
  ]);
  const json = await cli('request', '--dry-run', '--json', ...machines, ...server);
  expect([json.status, json.err]).toEqual([1, 'leasegraph: would be rejected: it does not fit [NO_CAPACITY]\n']);
  expect((await cli('request', '--dry-run', '--wait', ...machines, ...server)).status).toBe(2);
  expect(api.leases.requests).toEqual([]);
});
