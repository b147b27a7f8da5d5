import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createIdentity, type Role } from '../../src/identity/index.ts';
import { type Answer, apiOnNewDatabase, lease, now, token } from './fixture.ts';

const api = await apiOnNewDatabase();
const { prisma } = api;
afterAll(() => api[Symbol.asyncDispose]());

const id = (type: string, number: number): string => Buffer.from(`${type}:${number}`).toString('base64');
const errors = '{ code path }';
const secrets = new Map<string, string>();

beforeAll(async () => {
  await prisma.project.createMany({ data: [{ name: 'one' }, { name: 'two' }] });
  await prisma.lease.create({ data: lease(1, { projectNumber: 1 }) });
  const { tokens } = createIdentity({ prisma, adminToken: token });
  const make = async (name: string, role: Role, projects: number[]) => {
    secrets.set(name, (await tokens.create({ name, role, projects, expiresAt: null })).secret);
  };
  await make('member', 'USER', [1]);
  await make('of both', 'USER', [1, 2]);
  await make('of none', 'USER', []);
  await make('viewer', 'VIEWER', [1]);
});

async function as(name: string, query: string): Promise<Answer> {
  const request = new Request('http://localhost/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${secrets.get(name)}` },
    body: JSON.stringify({ query }),
  });
  return (await (await api.app.fetch(request)).json()) as Answer;
}

const create = (input: string) =>
  `mutation { createWebhook(input: { ${input} }) { webhook { id url kinds project { name } owner state } secret userErrors ${errors} } }`;

describe('createWebhook', () => {
  it('creates one of the project of a user, with a secret that is shown this once', async () => {
    const { data } = await as('member', create('url: "https://hooks.example.org/a", kinds: [LEASE_FAILED]'));
    const { secret } = data.createWebhook;
    expect(secret).toMatch(/^whsec_[\w-]{43}$/);
    expect(data.createWebhook).toEqual({
      webhook: {
        ...{ id: id('Webhook', 1), url: 'https://hooks.example.org/a', kinds: ['LEASE_FAILED'] },
        ...{ project: { name: 'one' }, owner: 'member', state: 'ACTIVE' },
      },
      ...{ secret, userErrors: [] },
    });
    expect(await prisma.webhook.findUnique({ where: { number: 1 } })).toMatchObject({ secret });
    const shown = await api.ask('{ webhooks { nodes { id } } auditLog { nodes { mutation subject outcome } } }');
    expect(JSON.stringify(shown)).not.toContain(secret);
  });

  it('creates one of the whole site for an operator', async () => {
    const { data } = await api.ask(create('url: "https://hooks.example.org/b", secret: "0123456789abcdef"'));
    expect(data.createWebhook).toMatchObject({
      webhook: { kinds: [], project: null, owner: 'admin' },
      secret: '0123456789abcdef',
    });
  });

  it.each([
    ['of both', 'url: "https://a.example"', 'PROJECT_REQUIRED', ['input', 'project']],
    ['of none', 'url: "https://a.example"', 'PROJECT_REQUIRED', ['input', 'project']],
    ['member', `url: "https://a.example", project: "${id('Project', 2)}"`, 'PROJECT_NOT_FOUND', ['input', 'project']],
    ['viewer', 'url: "https://a.example"', 'FORBIDDEN', null],
    ['member', 'url: "ftp://a.example"', 'URL_NOT_ALLOWED', ['input', 'url']],
    ['member', 'url: "no url"', 'URL_NOT_ALLOWED', ['input', 'url']],
    ['member', 'url: "https://user:password@a.example"', 'URL_NOT_ALLOWED', ['input', 'url']],
    ['member', 'url: "https://10.0.0.1/"', 'URL_NOT_ALLOWED', ['input', 'url']],
    ['member', 'url: "https://[::1]/"', 'URL_NOT_ALLOWED', ['input', 'url']],
    ['member', 'url: "https://a.example", secret: "short"', 'INVALID_REQUEST', ['input', 'secret']],
    ['member', 'url: "https://a.example", kinds: [UNKNOWN]', 'INVALID_REQUEST', ['input', 'kinds']],
  ])('refuses %s with %s: %s', async (name, input, code, path) => {
    const { data } = await as(name, create(input));
    expect(data.createWebhook).toEqual({ webhook: null, secret: null, userErrors: [{ code, path }] });
  });
});

describe('webhooks', () => {
  const list = '{ webhooks { totalCount nodes { url } } }';

  it('are seen by users of their project and by operators', async () => {
    expect((await as('member', list)).data.webhooks).toEqual({
      totalCount: 1,
      nodes: [{ url: 'https://hooks.example.org/a' }],
    });
    expect((await as('of none', list)).data.webhooks).toEqual({ totalCount: 0, nodes: [] });
    expect((await api.ask(list)).data.webhooks.totalCount).toBe(2);
    expect((await as('viewer', list)).errors?.[0]?.extensions?.code).toBe('FORBIDDEN');
    const node = `{ node(id: "${id('Webhook', 1)}") { id } }`;
    expect((await as('viewer', node)).data.node).toBeNull();
    expect((await as('member', node)).data.node).toEqual({ id: id('Webhook', 1) });
  });

  it.each(['updateWebhook', 'deleteWebhook', 'testWebhook'])('of others are not found by %s', async (field) => {
    const { data } = await as(
      'member',
      `mutation { ${field}(input: { id: "${id('Webhook', 2)}" }) { userErrors ${errors} } }`,
    );
    expect(data[field].userErrors).toEqual([{ code: 'WEBHOOK_NOT_FOUND', path: ['input', 'id'] }]);
  });

  it('are updated, and get what has waited when they are active again', async () => {
    await prisma.notice.create({
      data: {
        sequence: 1,
        at: new Date(now),
        kind: 'LEASE_FAILED',
        leaseNumber: 1,
        projectNumber: 1,
        message: 'm',
      },
    });
    const pausedAt = new Date(now);
    await prisma.webhook.update({
      where: { number: 1 },
      data: { state: 'PAUSED', pauseReason: 'r', pausedAt },
    });
    await prisma.webhookDelivery.create({
      data: {
        ...{ webhookNumber: 1, noticeSequence: 1, topic: 1, attempts: 15, status: 503, error: 'e' },
        nextAttemptAt: new Date(now),
      },
    });
    const fields = `webhook { url kinds state pauseReason pausedAt deliveries { totalCount nodes {
      deliveryId state attempts status error notice { sequence } deliveredAt } } }`;
    const before = (await as('member', `{ webhooks { nodes { state pauseReason pausedAt } } }`)).data;
    expect(before.webhooks.nodes).toEqual([{ state: 'PAUSED', pauseReason: 'r', pausedAt: pausedAt.toISOString() }]);
    const { data } = await as(
      'member',
      `mutation { updateWebhook(input: { id: "${id('Webhook', 1)}", active: true, kinds: [] }) { ${fields} userErrors ${errors} } }`,
    );
    expect(data.updateWebhook).toMatchObject({
      webhook: {
        ...{
          url: 'https://hooks.example.org/a',
          kinds: [],
          state: 'ACTIVE',
          pauseReason: null,
          pausedAt: null,
        },
        deliveries: {
          totalCount: 1,
          nodes: [
            {
              state: 'PENDING',
              attempts: 0,
              status: 503,
              error: 'e',
              notice: { sequence: 1 },
              deliveredAt: null,
            },
          ],
        },
      },
      userErrors: [],
    });
    const { nextAttemptAt } = await prisma.webhookDelivery.findFirstOrThrow({
      where: { noticeSequence: 1n },
    });
    expect(nextAttemptAt.getTime()).not.toBe(now);
    await as(
      'member',
      `mutation { updateWebhook(input: { id: "${id('Webhook', 1)}", active: false }) { userErrors ${errors} } }`,
    );
    expect(await prisma.webhook.findUnique({ where: { number: 1 } })).toMatchObject({ state: 'DISABLED' });
  });

  it('are 20 per project at most', async () => {
    const input = `url: "https://a.example", project: "${id('Project', 2)}"`;
    for (let made = 0; made < 20; made += 1) {
      expect((await as('of both', create(input))).data.createWebhook.userErrors).toEqual([]);
    }
    expect((await as('of both', create(input))).data.createWebhook.userErrors).toEqual([
      { code: 'INVALID_REQUEST', path: ['input', 'project'] },
    ]);
  });

  it('are tested and deleted', async () => {
    const { data } = await as(
      'member',
      `mutation { testWebhook(input: { id: "${id('Webhook', 1)}" }) { delivery { state attempts notice { id } } userErrors ${errors} } }`,
    );
    expect(data.testWebhook).toEqual({
      delivery: { state: 'PENDING', attempts: 0, notice: null },
      userErrors: [],
    });
    const deleted = await as(
      'member',
      `mutation { deleteWebhook(input: { id: "${id('Webhook', 1)}" }) { deletedId userErrors ${errors} } }`,
    );
    expect(deleted.data.deleteWebhook).toEqual({ deletedId: id('Webhook', 1), userErrors: [] });
    expect(await prisma.webhookDelivery.count()).toBe(0);
  });
});
