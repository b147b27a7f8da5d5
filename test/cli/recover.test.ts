import { afterAll, expect, it } from 'vitest';
import { CommandError } from '../../src/engine/ports.ts';
import { lease, now } from '../api/fixture.ts';
import { servedApi } from './served-api.ts';
import { cli } from './terminal.ts';

const api = await servedApi();
const { server } = api;
afterAll(() => api[Symbol.asyncDispose]());

it('decides about an unfinished action, whose ID `lease` shows', async () => {
  await api.prisma.lease.create({ data: lease(1, { state: 'READY' }) });
  const action = { leaseNumber: 1, targets: [], at: new Date(now), startedAt: new Date(now) };
  await api.prisma.action.createMany({
    data: [
      {
        ...{ ...action, number: 7, kind: 'PREPARE', state: 'SUCCEEDED', attempts: 1 },
        finishedAt: new Date(now + 1_500),
      },
      { ...action, number: 8, kind: 'START', state: 'PENDING', attempts: 2, error: 'no answer' },
    ],
  });
  const { out: shown } = await cli('lease', '1', ...server);
  expect(shown).toMatch(/^PREPARE +SUCCEEDED +2030-01-31 08:00:00 +1.5 s +1 *$/m);
  const [, id = ''] = /^START +PENDING +2030-01-31 08:00:00 +2 +(\S+)$/m.exec(shown) ?? [];
  expect(Buffer.from(id, 'base64').toString()).toBe('Action:8');

  const { out: json } = await cli('lease', '1', '--json', ...server);
  expect(JSON.parse(json)).toMatchObject({
    actions: [
      { id: btoa('Action:7'), kind: 'PREPARE', state: 'SUCCEEDED', attempts: 1, error: null },
      { id, kind: 'START', state: 'PENDING', attempts: 2, error: 'no answer' },
    ],
  });

  api.leases.result = async () => ({ actionId: 8 });
  const { status, out } = await cli('recover', id, 'assume-success', ...server);
  expect(status).toBe(0);
  expect(out).toMatch(new RegExp(`^START +1 +PENDING +2030-01-31 08:00:00 +2 +${id}$`, 'm'));
  expect(api.leases.submitted.filter(({ kind }) => kind !== 'waiting')).toEqual([
    { kind: 'recoverAction', input: { actionId: 8, recovery: 'ASSUME_SUCCESS' } },
  ]);

  api.leases.result = async () => {
    throw new CommandError('ACTION_NOT_OPEN', 'There is no action 8 that is unfinished.', ['id']);
  };
  expect(await cli('recover', id, 'retry', ...server)).toMatchObject({
    status: 1,
    err: expect.stringContaining('There is no action 8 that is unfinished. [ACTION_NOT_OPEN]'),
  });
  expect(await cli('recover', id, 'forget', ...server)).toMatchObject({
    status: 2,
    err: expect.stringContaining('Allowed choices are retry, assume-success, assume-failure.'),
  });
});
