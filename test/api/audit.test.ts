/** Each mutation leaves an audit record: walks all of them, so that one that is added later without fails. */
import { getNamedType, isInputObjectType, isNonNullType } from 'graphql';
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { schema } from '../../src/api/index.ts';
import { Audit } from '../../src/identity/audit.ts';
import { apiOnNewDatabase, createNodes, hour, lease, now } from './fixture.ts';

const api = await apiOnNewDatabase();
const { leases, prisma } = api;
afterAll(() => api[Symbol.asyncDispose]());

const id = (type: string, number: number) => btoa(`${type}:${number}`);
const capacity = [{ type: 'CPU', amount: 100 }];
const machines = [{ count: 1, capacity }];
const time = (instant: number) => new Date(instant).toISOString();

/** An input that is accepted, and the id in the audit record. */
const accepted: Readonly<Record<string, { readonly input: object; readonly subject: string | null }>> = {
  requestLease: { input: { type: 'BEST_EFFORT', duration: 'PT1H', machines }, subject: id('Lease', 1) },
  updateLease: { input: { id: id('Lease', 1), duration: 'PT2H' }, subject: id('Lease', 1) },
  endLease: { input: { id: id('Lease', 1) }, subject: id('Lease', 1) },
  cancelLease: { input: { id: id('Lease', 1) }, subject: id('Lease', 1) },
  discardLease: { input: { id: id('Lease', 1) }, subject: id('Lease', 1) },
  createWebhook: { input: { url: 'https://a.example' }, subject: id('Webhook', 2) },
  updateWebhook: { input: { id: id('Webhook', 1), active: true }, subject: id('Webhook', 1) },
  deleteWebhook: { input: { id: id('Webhook', 1) }, subject: id('Webhook', 1) },
  testWebhook: { input: { id: id('Webhook', 1) }, subject: id('Webhook', 1) },
  recoverAction: { input: { id: id('Action', 1), recovery: 'RETRY' }, subject: id('Action', 1) },
  addNodes: { input: { nodes: [{ hostname: 'new', capacity }] }, subject: null },
  updateNode: { input: { id: id('ComputeNode', 1), capacity }, subject: id('ComputeNode', 1) },
  removeNode: { input: { id: id('ComputeNode', 1) }, subject: id('ComputeNode', 1) },
  setNodeState: { input: { id: id('ComputeNode', 1), state: 'DOWN' }, subject: id('ComputeNode', 1) },
  planMaintenance: {
    input: { nodes: [id('ComputeNode', 1)], start: time(now + hour), end: time(now + 2 * hour) },
    subject: null,
  },
  endMaintenance: { input: { id: btoa('Maintenance:m') }, subject: btoa('Maintenance:m') },
  createRecurrence: {
    input: {
      duration: 'PT1H',
      machines,
      rule: 'FREQ=DAILY',
      timeZone: 'UTC',
      firstStart: '2030-02-01T09:00',
    },
    subject: null,
  },
  updateRecurrence: { input: { id: id('Recurrence', 1), duration: 'PT2H' }, subject: id('Recurrence', 1) },
  cancelRecurrence: { input: { id: id('Recurrence', 1) }, subject: id('Recurrence', 1) },
  createProject: { input: { name: 'new' }, subject: id('Project', 2) },
  updateProject: { input: { id: id('Project', 1), name: 'renamed' }, subject: id('Project', 1) },
  createToken: { input: { name: 'new', role: 'USER' }, subject: id('Token', 2) },
  updateToken: { input: { id: id('Token', 1), role: 'VIEWER' }, subject: id('Token', 1) },
  revokeToken: { input: { id: id('Token', 1) }, subject: id('Token', 1) },
};

const mutations = Object.values(schema.getMutationType()?.getFields() ?? {});
const names = mutations.map(({ name }) => name);

/** Records that are written after the mutation. */
const late = vi.spyOn(Audit.prototype, 'record');

beforeEach(async () => {
  await prisma.$executeRawUnsafe(
    `TRUNCATE leases, webhooks, nodes, projects, tokens, recurrences, actions, maintenance, audit_entries
     RESTART IDENTITY CASCADE`,
  );
  await prisma.project.create({ data: { name: 'one' } });
  await prisma.token.create({ data: { name: 'one', prefix: 'x', hash: 'x', role: 'USER', projects: [] } });
  await prisma.webhook.create({ data: { url: 'https://a.example', owner: 'admin', secret: 'x' } });
  await prisma.lease.create({ data: lease(1, { isQuarantined: true }) });
  await createNodes(prisma, 1);
  await prisma.maintenance.create({
    data: { name: 'm', nodes: [1], start: new Date(now), end: new Date(now + hour) },
  });
  await prisma.action.create({
    data: { number: 1, kind: 'START', leaseNumber: 1, at: new Date(now), targets: [] },
  });
  leases.answer = async () => 1;
  late.mockClear();
});

async function call(name: string, input: object) {
  const type = mutations.find((each) => each.name === name)?.args[0]?.type;
  const { data, errors } = await api.ask(
    `mutation ($input: ${type}) { ${name}(input: $input) { userErrors { code message } } }`,
    { input },
  );
  expect(errors).toBeUndefined();
  return data[name].userErrors as readonly { code: string }[];
}

const records = async () =>
  prisma.auditEntry.findMany({
    select: { principal: true, mutation: true, subject: true, outcome: true, requestId: true },
  });

describe('a mutation that is accepted', () => {
  it('has an input here', () => {
    expect(Object.keys(accepted).sort()).toEqual(names.toSorted());
  });

  it.each(names)('is recorded with what it changes: %s', async (mutation) => {
    const { input = {}, subject } = accepted[mutation] ?? {};
    expect(await call(mutation, input)).toEqual([]);
    expect(late).not.toHaveBeenCalled();
    expect(await records()).toEqual([
      { principal: 'admin', mutation, subject, outcome: 'OK', requestId: expect.any(String) },
    ]);
  });
});

describe('a mutation that is refused', () => {
  /** An input that no mutation accepts: ids of nothing, and empty texts. */
  const refusedInput = (name: string): object => {
    const type = getNamedType(mutations.find((each) => each.name === name)?.args[0]?.type as never);
    if (!isInputObjectType(type)) return {};
    const fields = Object.values(type.getFields()).filter(
      (field) => isNonNullType(field.type) || field.name === 'project',
    );
    const given = accepted[name]?.input as Record<string, unknown>;
    return Object.fromEntries(
      fields.map((field) => {
        const of = getNamedType(field.type).name;
        const isList = String(field.type).startsWith('[');
        if (of === 'ID') return [field.name, isList ? ['x'] : 'x'];
        if (of === 'String') return [field.name, ''];
        return [field.name, isList ? [] : given[field.name]];
      }),
    );
  };

  it.each(names)('is recorded afterwards: %s', async (mutation) => {
    const [refusal] = await call(mutation, refusedInput(mutation));
    expect(refusal).toBeDefined();
    expect(late).toHaveBeenCalledTimes(1);
    await vi.waitFor(async () =>
      expect(await records()).toMatchObject([{ mutation, outcome: refusal?.code, principal: 'admin' }]),
    );
  });
});
