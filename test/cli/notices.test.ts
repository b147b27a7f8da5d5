import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { testTopic } from '../../src/notices/webhooks.ts';
import { lease, minute, now } from '../api/fixture.ts';
import { servedApi } from './served-api.ts';
import { cli } from './terminal.ts';

const api = await servedApi();
const { server } = api;
afterAll(() => api[Symbol.asyncDispose]());

beforeAll(async () => {
  await api.prisma.project.create({ data: { name: 'one' } });
  await api.prisma.lease.create({ data: lease(1, { projectNumber: 1 }) });
  const notice = { at: new Date(now), reasonCode: null };
  await api.prisma.notice.createMany({
    data: [
      { ...notice, sequence: 1, kind: 'NODE_DOWN', nodeNumber: 1, message: 'Node 1 is down.' },
      {
        ...{
          ...notice,
          sequence: 2,
          at: new Date(now + minute),
          kind: 'LEASE_FAILED',
          message: 'Lease 1 has failed.',
        },
        ...{ leaseNumber: 1, projectNumber: 1 },
      },
    ],
  });
});

describe('notices', () => {
  const lines = [
    '1  2030-01-31 08:00:00  NODE_DOWN  Node 1 is down.\n',
    '2  2030-01-31 08:01:00  LEASE_FAILED  Lease 1 has failed.\n',
  ];

  it('lists them, by kind, lease and project', async () => {
    const shown = async (...argv: string[]) => (await cli('notices', ...argv, ...server)).out;
    expect(await shown()).toBe(lines.join(''));
    expect(await shown('--last', '1')).toBe(lines[1]);
    expect(await shown('--kind', 'node-down')).toBe(lines[0]);
    expect(await shown('--lease', '1')).toBe(lines[1]);
    expect(await shown('--project', 'one')).toBe(lines[1]);
    expect(await shown('--after', '2')).toBe('No notices.\n');
    expect(JSON.parse(await shown('--jsonl', '--last', '1'))).toMatchObject({
      sequence: 2,
      lease: { number: 1 },
    });
    const refused = await cli('notices', '--kind', 'x', ...server);
    expect([refused.status, refused.err]).toEqual([2, expect.stringContaining('Expected one of lease-ends-soon, ')]);
  });

  it('follows them from a sequence number on', async () => {
    const facts = { project: null, maintenance: null, reason: null, facts: {} } as const;
    api.leases.notices.publish(
      {
        ...facts,
        sequence: 1,
        at: now,
        kind: 'NODE_DOWN',
        leaseId: null,
        node: 1,
        message: 'Node 1 is down.',
      },
      {
        ...facts,
        sequence: 2,
        at: now + minute,
        kind: 'LEASE_FAILED',
        leaseId: 1,
        node: null,
        message: 'Lease 1 has failed.',
      },
    );
    expect((await cli('notices', '--after', '0', ...server)).out).toBe(lines.join(''));
  });
});

describe('webhook', () => {
  const url = 'https://hooks.example.org/a';

  it('creates, lists, disables, activates and deletes', async () => {
    const created = await cli('webhook', 'create', url, '--project', 'one', '--kind', 'lease-failed', ...server);
    expect(created.status).toBe(0);
    expect(created.out).toMatch(/^whsec_\S+\n$/);
    expect(created.err).toMatch(/^https:\/\/hooks\.example\.org\/a +ACTIVE +one +LEASE_FAILED/m);
    const list = await cli('webhook', 'list', ...server);
    expect(list.out).toContain(url);
    expect(list.out).not.toContain(created.out.trim());
    expect((await cli('webhook', 'disable', url, ...server)).out).toContain('DISABLED');
    expect((await cli('webhook', 'activate', url, ...server)).out).toContain('ACTIVE');
    await api.prisma.webhookDelivery.create({
      data: {
        webhookNumber: 1,
        noticeSequence: 2,
        topic: 1,
        attempts: 2,
        status: 503,
        error: 'The answer was 503.',
      },
    });
    const deliveries = await cli('webhook', 'deliveries', url, '--pending', '--jsonl', ...server);
    expect(JSON.parse(deliveries.out)).toMatchObject({
      state: 'PENDING',
      attempts: 2,
      notice: { sequence: 2 },
    });
    expect((await cli('webhook', 'deliveries', url, ...server)).out).toContain('2 LEASE_FAILED');
    expect((await cli('webhook', 'delete', url, ...server)).status).toBe(0);
    expect((await cli('webhook', 'list', ...server)).out).toBe('No webhooks.\n');
    expect((await cli('webhook', 'delete', url, ...server)).err).toBe(
      `leasegraph: there is no webhook "${url}" [WEBHOOK_NOT_FOUND]\n`,
    );
    expect((await cli('webhook', 'create', 'http://10.0.0.1/', ...server)).err).toContain('[URL_NOT_ALLOWED]');
  });

  it('tests, and tells whether the test was delivered', async () => {
    await cli('webhook', 'create', url, ...server);
    const { prisma } = api;
    const answer = async (data: object): Promise<void> => {
      while (
        (await prisma.webhookDelivery.updateMany({ where: { topic: testTopic, state: 'PENDING' }, data })).count === 0
      );
    };
    const [delivered] = await Promise.all([
      cli('webhook', 'test', url, ...server),
      answer({ state: 'SUCCEEDED', status: 200, attempts: 1 }),
    ]);
    expect([delivered.status, delivered.out]).toEqual([0, expect.stringMatching(/^test +SUCCEEDED/m)]);
    const [failed] = await Promise.all([
      cli('webhook', 'test', url, ...server),
      answer({ state: 'FAILED', error: 'The answer was 500.', attempts: 1 }),
    ]);
    expect([failed.status, failed.err]).toEqual([
      1,
      expect.stringContaining('the test was not delivered: The answer was 500.'),
    ]);
  });
});
