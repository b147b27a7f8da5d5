/**
 * Rights over the whole schema. The first suite walks every field by introspection: a field that is added later is
 * called as a member of another project, with the ids of what that member may not see, and fails the test when it
 * returns any of it.
 */
import { readFileSync } from 'node:fs';
import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLNamedType,
  getNamedType,
  isCompositeType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { schema } from '../../src/api/index.ts';
import { CommandError, type CommandName } from '../../src/engine/ports.ts';
import { createIdentity, hasRole, type Role, requiredRole, roles } from '../../src/identity/index.ts';
import {
  type Answer,
  type Api,
  apiOn,
  apiOnNewDatabase,
  createNodes,
  createReservations,
  graphqlRequest,
  hour,
  lease,
  now,
  webhooksOn,
} from './fixture.ts';

/** Every text of the foreign project holds it. */
const secret = 'hidden-from-others';
const own = { lease: 1, project: 1 };
const foreign = {
  ...{ lease: 2, project: 2, reservation: 20, event: 200, recurrence: 2, notice: 300 },
  /** A lease that took the place of the own one. Its number occurs nowhere else. */
  preemptor: 777_777,
};
const preempted = {
  reasonCode: 'PREEMPTED',
  reasonMessage: `its machines are suspended for lease ${foreign.preemptor}`,
  reasonData: { preemptor: foreign.preemptor, lostDuration: 0 },
};
const isPreempted = `Lease ${own.lease} was preempted: ${preempted.reasonMessage}.`;
const id = (type: string, number: number) => btoa(`${type}:${number}`);

let api: Api & AsyncDisposable;
const tokens = new Map<Role, string>();

beforeAll(async () => {
  // The walk selects everything at once.
  api = await apiOnNewDatabase({
    limits: { aliases: 100_000, cost: 1_000_000_000, costBurst: 1e12, tokens: 100_000, depth: 50 },
  });
  const { prisma } = api;
  await createNodes(prisma, 2);
  const quotas = [{ type: secret, amount: 1 }];
  await prisma.project.createMany({ data: [{ name: 'ours' }, { name: `${secret} project`, quotas }] });
  const identity = createIdentity({ prisma, adminToken: 'x' });
  for (const role of roles) {
    const created = await identity.tokens.create({ name: role, role, projects: [1], expiresAt: null });
    tokens.set(role, created.secret);
  }
  await identity.tokens.create({ name: `${secret} token`, role: 'USER', projects: [2], expiresAt: null });
  await prisma.auditEntry.create({
    data: {
      principal: secret,
      role: 'USER',
      mutation: secret,
      outcome: secret,
      requestId: secret,
      subject: secret,
    },
  });
  await prisma.lease.createMany({
    data: [
      lease(own.lease, {
        ...{ name: 'ours', state: 'ACTIVE', owner: 'USER', projectNumber: own.project, ...preempted },
      }),
      lease(foreign.preemptor, { name: `${secret} preemptor`, projectNumber: foreign.project }),
      lease(foreign.lease, {
        name: `${secret} lease`,
        state: 'QUEUED',
        queueRank: 1,
        owner: `${secret} owner`,
        projectNumber: foreign.project,
        imageName: `${secret} image`,
        imageSizeMb: 1,
        reasonCode: secret,
        reasonMessage: secret,
        machineCount: 1,
      }),
      lease(3, { name: `${secret} without a project`, owner: `${secret} owner` }),
    ],
  });
  const recurrence = {
    machines: [{ CPU: 1 }],
    preemptible: false,
    collisions: 'SKIP' as const,
    ...{ rule: 'FREQ=DAILY', timeZone: 'UTC', firstStart: '2030-01-01T00:00:00' },
    createdAt: new Date(now),
    terms: [{ from: 1, duration: hour, shift: 0 }],
  };
  await prisma.recurrence.createMany({
    data: [
      { ...recurrence, number: 1, name: 'ours', owner: 'USER', projectNumber: own.project },
      {
        ...recurrence,
        number: foreign.recurrence,
        name: `${secret} recurrence`,
        owner: `${secret} owner`,
        projectNumber: foreign.project,
        image: { name: `${secret} image`, sizeMb: 1 },
        skipped: [{ index: 1, start: now, reason: { code: secret, message: secret } }],
      },
    ],
  });
  const { result } = api.leases;
  const answers: Partial<Record<CommandName, unknown>> = {
    upcomingOccurrences: [{ index: 2, start: now, end: now + hour, leaseNumber: foreign.lease }],
    quotas: [{ quota: quotas[0], held: 1, usedHours: null, periodStart: null, leases: 1 }],
  };
  api.leases.result = async (kind) => {
    const input = api.leases.submitted.at(-1)?.input;
    const isForForeign = JSON.stringify(input)?.includes(`"project":${foreign.project}`);
    if (kind === 'availability' && isForForeign) return { earliestStart: now + hour, windows: [] };
    return answers[kind] ?? result(kind);
  };
  await prisma.lease.update({
    where: { number: foreign.lease },
    data: { recurrenceNumber: foreign.recurrence, occurrence: 2 },
  });
  await prisma.leaseMachine.create({
    data: { leaseNumber: foreign.lease, index: 1, amounts: { [secret]: 1 }, nodeNumber: 1 },
  });
  await createReservations(prisma, [
    { number: 10, lease: own.lease, start: now, end: now + hour, amounts: { 1: { CPU: 1 } } },
    {
      number: foreign.reservation,
      lease: foreign.lease,
      start: now,
      end: now + 2 * hour,
      state: 'ACTIVE',
      amounts: { 1: { CPU: 200 } },
    },
    {
      number: 21,
      lease: foreign.lease,
      kind: 'MEMORY_MIGRATION',
      start: now - hour,
      end: now - hour,
      plan: { moves: { 1: [2, 1] } },
    },
    // A transfer of the own lease that also serves the foreign one.
    {
      number: 11,
      lease: own.lease,
      kind: 'IMAGE_TRANSFER',
      start: now,
      end: now + hour,
      plan: {
        targets: {
          1: [
            [1, 1],
            [2, 1],
          ],
        },
      },
    },
  ]);
  await prisma.action.create({
    data: {
      number: 30,
      kind: 'START',
      leaseNumber: foreign.lease,
      at: new Date(now),
      targets: [{ leaseId: foreign.lease, machine: 1, node: 1 }],
      error: secret,
      output: secret,
    },
  });
  await prisma.action.create({
    data: { number: 29, kind: 'START', leaseNumber: own.lease, at: new Date(now), targets: [] },
  });
  await prisma.actionNode.createMany({
    data: [29, 30].map((actionNumber) => ({ nodeNumber: 1, actionNumber })),
  });
  const cause = {
    code: 'START_FAILED',
    at: now,
    by: secret,
    message: secret,
    lease: foreign.lease,
    before: null,
  };
  await prisma.computeNode.update({ where: { number: 1 }, data: { stateCause: cause } });
  await prisma.maintenance.create({
    data: { name: 'm of the site', nodes: [1], start: new Date(now), end: new Date(now + hour) },
  });
  await prisma.notice.createMany({
    data: [
      {
        sequence: foreign.notice,
        at: new Date(now),
        kind: 'LEASE_MOVED',
        leaseNumber: foreign.lease,
        projectNumber: foreign.project,
        message: secret,
        reasonCode: secret,
        reasonMessage: secret,
      },
      {
        ...{ sequence: 303, at: new Date(now), kind: 'LEASE_PREEMPTED', message: isPreempted },
        ...{ leaseNumber: own.lease, projectNumber: own.project, ...preempted },
      },
      { sequence: 301, at: new Date(now), kind: 'NODE_DOWN', nodeNumber: 1, message: 'Node 1 is down.' },
      {
        sequence: 302,
        at: new Date(now),
        kind: 'MAINTENANCE_SOON',
        maintenance: 'm of the site',
        message: 'Maintenance begins.',
      },
    ],
  });
  await prisma.leaseEvent.createMany({
    data: [
      {
        ...{ sequence: 100, at: new Date(now), leaseNumber: own.lease, from: 'ACTIVE', to: 'SUSPENDING' },
        ...preempted,
      },
      {
        sequence: foreign.event,
        at: new Date(now),
        leaseNumber: foreign.lease,
        from: 'NEW',
        to: 'PENDING',
        reasonCode: secret,
        reasonMessage: secret,
      },
    ],
  });
  await prisma.notice.create({
    data: {
      ...{ sequence: 40, at: new Date(now), kind: 'LEASE_FAILED', leaseNumber: foreign.lease },
      ...{ projectNumber: foreign.project, message: secret, reasonCode: secret, reasonMessage: secret },
      nodeNumber: 1,
    },
  });
  await prisma.webhook.create({
    data: {
      ...{ url: `https://${secret}`, projectNumber: foreign.project, owner: secret, secret },
      ...{ state: 'PAUSED', pauseReason: secret, kinds: ['LEASE_FAILED'] },
    },
  });
  await prisma.webhookDelivery.create({
    data: { webhookNumber: 1, noticeSequence: 40, topic: foreign.lease, error: secret },
  });
});
afterAll(() => api[Symbol.asyncDispose]());

const foreignIds = [
  id('Lease', foreign.preemptor),
  id('Lease', foreign.lease),
  id('Lease', 3),
  id('Reservation', foreign.reservation),
  id('LeaseEvent', foreign.event),
  id('Notice', foreign.notice),
  id('Project', foreign.project),
  id('Token', 5),
  id('Action', 30),
  id('Recurrence', foreign.recurrence),
  id('Notice', 40),
  id('Webhook', 1),
  id('WebhookDelivery', 1),
];

/** It is the site's: everybody sees it, but not what it does for others. */
const siteNode = id('ComputeNode', 1);
/** Of what a member sees, by type. */
const ownIds: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries({ Lease: 1, Project: 1, Reservation: 10, LeaseEvent: 100 }).map(([type, number]) => [
    type,
    id(type, number),
  ]),
);
/** Ids and names of what a member may not see, and of what there is not. */
const guesses: readonly (readonly [foreign: string, unknown: string])[] = [
  ...[...foreignIds, siteNode].map((each) => [each, id(atob(each).split(':')[0] ?? '', 9_999)] as const),
  [secret, 'unknown'],
  [`${secret} owner`, 'unknown owner'],
];

/** The text of a global id; nothing for other texts. */
function atob64(text: string): string {
  return guesses.some(([guess, unknown]) => text === guess || text === unknown) && !text.includes(' ')
    ? Buffer.from(text, 'base64').toString('latin1')
    : '';
}

const as = async (role: Role, query: string, variables?: Record<string, unknown>): Promise<Answer> => {
  const request = new Request('http://localhost/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${tokens.get(role)}` },
    body: JSON.stringify({ query, variables }),
  });
  return (await (await api.app.fetch(request)).json()) as Answer;
};

const iso = (instant: number) => JSON.stringify(new Date(instant).toISOString());

/** Values for arguments by name, or by type. An argument that is neither named here nor optional fails the test. */
const values: Readonly<Record<string, string>> = {
  'Query.node(id:)': JSON.stringify(id('Lease', foreign.lease)),
  'Query.objects(ids:)': JSON.stringify(foreignIds),
  'Query.lease(number:)': String(foreign.lease),
  'Query.recurrence(number:)': String(foreign.recurrence),
  'Query.availability(machines:)': '[{ count: 1, capacity: [{ type: "CPU", amount: 1 }] }]',
  'Query.availability(duration:)': '"PT1H"',
  'Query.accounting(from:)': iso(now - 1_000 * hour),
  'Query.accounting(to:)': iso(now + hour),
  'Query.accounting(by:)': 'OWNER',
  'Query.utilization(step:)': '"PT1H"',
  'ComputeNode.freeCapacity(from:)': iso(now),
  'ComputeNode.freeCapacity(to:)': iso(now + hour),
  'Query.utilization(from:)': iso(now),
  'Query.utilization(to:)': iso(now + hour),
  'Query.schedule(from:)': iso(now),
  'Query.schedule(to:)': iso(now + hour),
  'Subscription.leaseChanged(id:)': JSON.stringify(id('Lease', foreign.lease)),
  'Subscription.leaseEvents(after:)': '0',
  'Subscription.nodeChanged(id:)': JSON.stringify(id('ComputeNode', 1)),
  'Subscription.notices(after:)': '0',
};

function argumentsOf(parent: GraphQLNamedType, field: GraphQLField<unknown, unknown>): string {
  const given = field.args.flatMap((argument: GraphQLArgument) => {
    const name = `${parent.name}.${field.name}(${argument.name}:)`;
    const value = values[name];
    if (value !== undefined) return [`${argument.name}: ${value}`];
    if (isNonNullType(argument.type)) throw new Error(`${name} has no value in this test: add one`);
    return [];
  });
  return given.length > 0 ? `(${given.join(', ')})` : '';
}

/** Everything that can be selected of a type, to a depth; a type is not entered again within itself. */
function selectionOf(type: GraphQLNamedType, depth: number, within: readonly string[] = []): string {
  if (!isCompositeType(type)) return '';
  if (!('getFields' in type)) return '{ __typename }';
  const fields = Object.values(type.getFields()).flatMap((field) => {
    const inner = getNamedType(field.type);
    const isConnection = isObjectType(inner) && inner.name.endsWith('Connection');
    if (isCompositeType(inner) && (depth === 0 || within.includes(inner.name))) return [];
    const selection = selectionOf(inner, isConnection ? depth : depth - 1, [...within, type.name]);
    return selection === '{ }'
      ? []
      : [`${type.name}_${field.name}: ${field.name}${argumentsOf(type, field)} ${selection}`];
  });
  const implementations =
    type.name === 'Node'
      ? schema
          .getPossibleTypes(schema.getType('Node') as never)
          .map((each) => `... on ${each.name} ${selectionOf(each, depth, within)}`)
      : [];
  return `{ ${[...fields, ...implementations].join(' ')} }`;
}

/** An argument that takes an id, at the top or within an input, with a value in its place. */
interface IdArgument {
  readonly name: string;
  readonly parent: GraphQLNamedType;
  readonly field: GraphQLField<unknown, unknown>;
  readonly argument: string;
  /** The literal of the argument with some ids. A list holds the own object of the first one's type as well. */
  literal(wanted: string): string;
}

/** Every argument of the schema that takes an id, mutations apart, found by its type. */
const idArguments: readonly IdArgument[] = Object.values(schema.getTypeMap())
  .filter((type) => isObjectType(type) && type !== schema.getMutationType())
  .flatMap((parent) =>
    isObjectType(parent)
      ? Object.values(parent.getFields()).flatMap((field) =>
          field.args.flatMap((argument) =>
            idPathsOf(argument.name, argument.type).map(({ path, literal }) => ({
              ...{ name: `${parent.name}.${field.name}(${path})`, argument: argument.name },
              ...{ parent, field, literal },
            })),
          ),
        )
      : [],
  );

function idPathsOf(
  path: string,
  type: GraphQLInputType,
): readonly { readonly path: string; literal(wanted: string): string }[] {
  const named = getNamedType(type);
  const isList = isListType(isNonNullType(type) ? type.ofType : type);
  if (named.name === 'ID') {
    const literal = (wanted: string) => {
      const own = ownIds[atob64(wanted).split(':')[0] ?? ''];
      return JSON.stringify(isList ? [wanted, ...(own ? [own] : [])] : wanted);
    };
    return [{ path, literal }];
  }
  if (!isInputObjectType(named)) return [];
  return Object.values(named.getFields()).flatMap((field) =>
    idPathsOf(`${path}.${field.name}`, field.type).map((inner) => ({
      path: inner.path,
      literal: (wanted: string) => {
        const object = `{ ${field.name}: ${inner.literal(wanted)} }`;
        return isList ? `[${object}]` : object;
      },
    })),
  );
}

/** A query or subscription with an id in the place of an argument; nested fields are asked of an own and a foreign object. */
function operationWith({ argument, field, literal, parent }: IdArgument, wanted: string): string {
  const isSubscription = parent === schema.getSubscriptionType();
  const others = field.args.flatMap(({ name, type }) => {
    const value = values[`${parent.name}.${field.name}(${name}:)`];
    const isGiven = name !== argument && value !== undefined && (isSubscription || isNonNullType(type));
    return isGiven ? [`${name}: ${value}`] : [];
  });
  const given = [`${argument}: ${literal(wanted)}`, ...others].join(', ');
  const asked = `${field.name}(${given}) ${selectionOf(getNamedType(field.type), 1)}`;
  if (isSubscription) return `subscription { ${asked} }`;
  if (parent === schema.getQueryType()) return `{ ${asked} }`;
  const objects = [ownIds[parent.name], foreignIds.find((each) => atob(each).startsWith(`${parent.name}:`))];
  const inObjects = objects.map((each, index) => {
    if (each === undefined) throw new Error(`${parent.name} has a field that takes ids: add an object to the test`);
    return `object${index}: node(id: "${each}") { ... on ${parent.name} { ${asked} } }`;
  });
  return `{ ${inObjects.join(' ')} }`;
}

const queryFields = Object.values(schema.getQueryType()?.getFields() ?? {});
const subscriptionFields = Object.values(schema.getSubscriptionType()?.getFields() ?? {});

/** A root field with everything that can be selected of it. */
function walkOf(field: GraphQLField<unknown, unknown>): string {
  const query = schema.getQueryType() as GraphQLNamedType;
  const inside = selectionOf(getNamedType(field.type), 3);
  const given = argumentsOf(query, field);
  if (field.name !== 'accounting') return `{ ${field.name}${given} ${inside} }`;
  const groupings = ['OWNER', 'PROJECT', 'LEASE'];
  return `{ ${groupings.map((by) => `${by}: accounting${given.replace('OWNER', by)} ${inside}`).join(' ')} }`;
}

/** A subscription with everything that can be selected of its elements. */
function subscriptionTo(field: GraphQLField<unknown, unknown>): string {
  const root = schema.getSubscriptionType() as GraphQLNamedType;
  return `subscription { ${field.name}${argumentsOf(root, field)} ${selectionOf(getNamedType(field.type), 3)} }`;
}

/** What a subscription delivers as an event stream, up to its end or until it has delivered enough. */
async function received(
  role: Role,
  query: string,
  isEnough: (text: string) => boolean,
  signal: AbortSignal | null = null,
): Promise<string> {
  const request = new Request('http://localhost/graphql', {
    method: 'POST',
    signal,
    headers: {
      'content-type': 'application/json',
      accept: 'text/event-stream',
      authorization: `Bearer ${tokens.get(role)}`,
    },
    body: JSON.stringify({ query }),
  });
  const { body } = await api.app.fetch(request);
  let text = '';
  const reader = body?.getReader();
  const leave = () => void reader?.cancel();
  signal?.addEventListener('abort', leave);
  while (reader && !isEnough(text)) {
    const { done, value } = await reader.read();
    if (done) break;
    text += new TextDecoder().decode(value);
  }
  signal?.removeEventListener('abort', leave);
  await reader?.cancel();
  return text;
}

const isForeign = (text: string) => [secret, ...foreignIds].some((each) => text.includes(each));
const hasElement = (text: string) => /event: next\ndata: .*\n\n/.test(text);

/** The mutations that a role may call. */
function mutationsFor(role: Role) {
  const fields = Object.values(schema.getMutationType()?.getFields() ?? {});
  return fields.filter(({ name }) => hasRole({ role }, requiredRole[`Mutation.${name}`] as Role));
}

/** Values for the fields of inputs that are not ids. */
const sensibleInput: Readonly<Record<string, unknown>> = {
  type: 'BEST_EFFORT',
  duration: 'PT1H',
  machines: [{ count: 1, capacity: [{ type: 'CPU', amount: 1 }] }],
  url: 'https://hooks.example.org',
  ...{ rule: 'FREQ=DAILY', timeZone: 'UTC', firstStart: '2030-02-01T09:00' },
};

describe('the walk over the schema', () => {
  /** Fields of the site itself, and of whoever asks. */
  const ofNoProject = [
    'site',
    'scheduler',
    'serverTime',
    'viewer',
    'availability',
    'utilization',
    'maintenance',
    'nodes',
  ];

  it.each(queryFields.filter(({ name }) => !ofNoProject.includes(name)).map((field) => [field.name, field] as const))(
    'finds foreign objects through %s, as an administrator',
    async (_name, field) => {
      const text = JSON.stringify(await as('ADMIN', walkOf(field)));
      expect(
        [secret, ...foreignIds].some((each) => text.includes(each)),
        text,
      ).toBe(true);
    },
  );

  /** Fields with text or objects that are the site's, so that everybody may see them, or operators alone. */
  const ofSite = [
    ...['ComputeNode_address', 'ComputeNode_labels', 'Label_key', 'Label_value', 'ComputeNode_measuredRates'],
    ...['MaintenanceConnection_edges', 'MaintenanceConnection_nodes', 'MaintenanceEdge_cursor', 'MaintenanceEdge_node'],
    ...['Maintenance_id', 'Maintenance_nodes', 'Maintenance_reason', 'SchedulerStatus_problems'],
    'Notice_maintenance',
    ...['HostHealth_error', 'HostHealth_strayMachines', 'HostHealth_unremovedMachines'],
    ...['UnremovedMachine_action', 'UnremovedMachine_capacity'],
    ...['Availability_windows', 'Accounting_used'],
  ];

  it('finds a value in every field that could show text or objects of others', async () => {
    const filled = new Set<string>();
    const collect = (value: unknown): void => {
      if (typeof value !== 'object' || value === null) return;
      for (const [key, inner] of Object.entries(value)) {
        if (inner !== null && !(Array.isArray(inner) && inner.length === 0)) filled.add(key);
        collect(inner);
      }
    };
    for (const field of queryFields) collect(await as('ADMIN', walkOf(field)));
    const canShow = (key: string) => {
      const [type = '', name = ''] = key.split('_');
      const parent = schema.getType(type);
      const field = parent && 'getFields' in parent ? parent.getFields()[name] : undefined;
      const inner = field && getNamedType(field.type);
      return isCompositeType(inner) || ['String', 'ID', 'JSON'].includes(inner?.name ?? '');
    };
    const walked = queryFields.flatMap((field) =>
      [...walkOf(field).matchAll(/(\w+_\w+): /g)].map(([, key = '']) => key),
    );
    const unseen = [...new Set(walked)].filter((key) => canShow(key) && !filled.has(key) && !ofSite.includes(key));
    expect(unseen.join(' ')).toBe('');
  });
});

/** Roles of members: they see what is their projects'. */
const members = ['VIEWER', 'USER'] as const;
const asMember = <Subject>(subjects: readonly (readonly [name: string, subject: Subject])[]) =>
  members.flatMap((role) => subjects.map(([name, subject]) => [name, role, subject] as const));

describe('a member of another project', () => {
  it.each(asMember(queryFields.map((field) => [field.name, field])))(
    'sees nothing foreign through %s as %s',
    async (_name, role, field) => {
      const answer = await as(role, walkOf(field));
      const allowed = answer.errors?.filter(({ extensions }) => extensions?.code !== 'FORBIDDEN') ?? [];
      expect(allowed).toEqual([]);
      const text = JSON.stringify(answer);
      expect(text).not.toContain(secret);
      expect(text).not.toContain(String(foreign.preemptor));
      for (const each of foreignIds) expect(text).not.toContain(each);
    },
  );

  it('reads why its lease was preempted without the number of the lease that took its place', async () => {
    const query = `{
      lease(number: 1) { stateReason { code message } events { nodes { reason { code message } } } }
      events(filter: { leases: ["${id('Lease', own.lease)}"] }) { nodes { reason { code message } } }
      notices(filter: { kinds: [LEASE_PREEMPTED] }) { nodes { message reason { code message } } }
    }`;
    const shown = (name: string) => {
      const reason = { code: 'PREEMPTED', message: `its machines are suspended for ${name}` };
      const events = { nodes: [{ reason }] };
      const message = `Lease 1 was preempted: ${reason.message}.`;
      return {
        ...{ lease: { stateReason: reason, events }, events },
        notices: { nodes: [{ message, reason }] },
      };
    };
    expect((await as('USER', query)).data).toEqual(shown('another lease'));
    expect((await as('OPERATOR', query)).data).toEqual(shown('lease 777777'));
  });

  it('reads why a change was refused without the numbers of leases of others', async () => {
    const { result } = api.leases;
    const message = 'Lease 1 cannot be planned with these terms: lease 777777 takes the place where it was planned.';
    api.leases.result = () => Promise.reject(new CommandError('NOT_SCHEDULABLE', message));
    const update = `mutation { updateLease(input: { id: "${id('Lease', own.lease)}", duration: "PT2H" }) {
      userErrors { code message } } }`;
    const errors = async (role: Role) => (await as(role, update)).data.updateLease.userErrors;
    try {
      expect(await errors('USER')).toEqual([
        { code: 'NOT_SCHEDULABLE', message: message.replace('lease 777777', 'another lease') },
      ]);
      expect(await errors('OPERATOR')).toEqual([{ code: 'NOT_SCHEDULABLE', message }]);
    } finally {
      api.leases.result = result;
    }
  });

  it('sees what is its own, so that the walk above does see something', async () => {
    const { data } = await as(
      'USER',
      `{ leases { totalCount nodes { name } } reservations { totalCount } events { totalCount } projects { totalCount nodes { name leases { totalCount } } }
        viewer { name role projects { name } } lease(number: 1) { owner { name role } project { name } } queue { totalCount }
        recurrences { totalCount nodes { name leases { totalCount } } }
        reservations(filter: { kinds: [IMAGE_TRANSFER] }) { totalCount } }`.replace(
        /reservations\(filter.*? }\)/,
        'transfers: $&',
      ),
    );
    expect(data).toEqual({
      leases: { totalCount: 1, nodes: [{ name: 'ours' }] },
      reservations: { totalCount: 2 },
      transfers: { totalCount: 1 },
      events: { totalCount: 1 },
      projects: { totalCount: 1, nodes: [{ name: 'ours', leases: { totalCount: 1 } }] },
      viewer: { name: 'USER', role: 'USER', projects: [{ name: 'ours' }] },
      lease: { owner: { name: 'USER', role: 'USER' }, project: { name: 'ours' } },
      queue: { totalCount: 0 },
      recurrences: { totalCount: 1, nodes: [{ name: 'ours', leases: { totalCount: 0 } }] },
    });
  });

  it('sees what nodes were told to do for its own leases, and operators see all', async () => {
    const query =
      '{ nodes(first: 1) { nodes { stateChange { cause by reason } actions { totalCount nodes { lease { number } } } } } }';
    const seenBy = async (role: Role) => (await as(role, query)).data.nodes.nodes[0];
    expect(await seenBy('USER')).toEqual({
      stateChange: null,
      actions: { totalCount: 1, nodes: [{ lease: { number: 1 } }] },
    });
    expect(await seenBy('OPERATOR')).toEqual({
      stateChange: { cause: 'START_FAILED', by: secret, reason: secret },
      actions: { totalCount: 2, nodes: [{ lease: { number: 1 } }, { lease: { number: 2 } }] },
    });
  });

  it('sees when nodes are busy, whatever lease holds them', async () => {
    const { data } = await as(
      'USER',
      `{ nodes(first: 1) { nodes { freeCapacity(from: ${iso(now - hour)}, to: ${iso(now + 3 * hour)}) { start end capacity { amount } } reservations { totalCount } } } }`,
    );
    expect(data.nodes.nodes[0]).toEqual({
      reservations: { totalCount: 1 },
      freeCapacity: [
        [now - hour, now, 400],
        [now, now + hour, 199],
        [now + hour, now + 2 * hour, 200],
        [now + 2 * hour, now + 3 * hour, 400],
      ].map(([start = 0, end = 0, CPU]) => ({
        start: new Date(start).toISOString(),
        end: new Date(end).toISOString(),
        capacity: [{ amount: CPU }, { amount: 8192 }],
      })),
    });
  });

  it.each([
    ['by names', `owners: ["${secret} owner"]`],
    ['by a project', `projects: ["${id('Project', foreign.project)}"]`],
    ['by numbers', `numbers: [${foreign.lease}]`],
    ['by part of a name', `name: "${secret}"`],
    ['by state', 'states: [QUEUED]'],
  ])('finds and counts nothing %s', async (_what, filter) => {
    const { data } = await as('USER', `{ leases(filter: { ${filter} }) { totalCount nodes { id } } }`);
    expect(data.leases).toEqual({ totalCount: 0, nodes: [] });
  });

  it('cannot tell a foreign lease from one that does not exist', async () => {
    const cancel = async (number: number) => {
      const query = `mutation { cancelLease(input: { id: "${id('Lease', number)}" }) { lease { id } userErrors { code message path } } }`;
      return JSON.stringify((await as('USER', query)).data).replaceAll(String(number), 'N');
    };
    expect(await cancel(foreign.lease)).toBe(await cancel(9));
    expect(await cancel(foreign.lease)).toContain('LEASE_NOT_FOUND');
    expect(api.leases.cancelled).toEqual([]);
    for (const argument of ['leaseEvents(leaseId:', 'leaseChanged(id:']) {
      const watch = async (number: number) => {
        const query = `subscription { ${argument} "${id('Lease', number)}") { __typename } }`;
        return (await received('USER', query, hasElement)).replaceAll(String(number), 'N');
      };
      expect(await watch(foreign.lease)).toBe(await watch(9));
    }
  });

  it.each(mutationsFor('USER').map((field) => [field.name, field] as const))(
    'learns nothing through %s of ids that are guessed',
    async (_name, field) => {
      const { submitted } = api.leases;
      const before = submitted.length;
      const input = getNamedType(field.args[0]?.type as never);
      const idFields = isInputObjectType(input)
        ? Object.values(input.getFields()).filter(({ type }) => getNamedType(type).name === 'ID')
        : [];
      expect(idFields.length, 'a mutation without an id needs a test of its own').toBeGreaterThan(0);
      const query = `mutation ($input: ${field.args[0]?.type}) {
        ${field.name}(input: $input) ${selectionOf(getNamedType(field.type), 2)} }`;
      const answer = async (idField: string, value: string) => {
        const given = { ...sensibleInput, [idField]: value };
        const known = isInputObjectType(input) ? input.getFields() : {};
        const answered = await as('USER', query, {
          input: Object.fromEntries(Object.entries(given).filter(([name]) => name in known)),
        });
        expect(answered.errors).toBeUndefined();
        return JSON.stringify(answered.data)
          .replaceAll(value, 'ID')
          .replaceAll(/\b(lease|project|recurrence|webhook) \d+/gi, '$1 N');
      };
      for (const { name } of idFields) {
        for (const foreignId of foreignIds) {
          const [type = ''] = atob(foreignId).split(':');
          const seen = await answer(name, foreignId);
          expect(seen).not.toContain(secret);
          expect(seen).toBe(await answer(name, id(type, 9_999)));
        }
      }
      expect(submitted.length).toBe(before);
    },
  );

  /** Without what an answer repeats of its question. */
  const anonymous = (text: string, asked: string) =>
    text.replaceAll(asked, 'ASKED').replaceAll(/\b([a-z]+) "?\d+"?/gi, '$1 N');

  const queries = idArguments.filter(({ parent }) => parent !== schema.getSubscriptionType());
  it.each(queries.map((each) => [each.name, each] as const))(
    'learns nothing through %s of what it names, and an administrator does',
    async (_name, argument) => {
      const answer = async (role: Role, asked: string) => {
        const { data, errors } = await as(role, operationWith(argument, asked));
        return JSON.stringify({ data, errors });
      };
      let told = 0;
      for (const [guess, unknown] of guesses) {
        const seen = await answer('ADMIN', guess);
        if (anonymous(seen, guess) === anonymous(await answer('ADMIN', unknown), unknown)) continue;
        told += 1;
        for (const role of members) {
          const text = await answer(role, guess);
          expect(isForeign(text.replaceAll(guess, 'ASKED')), text).toBe(false);
          // Whether a node exists is no secret.
          if (guess !== siteNode) expect(anonymous(text, guess)).toBe(anonymous(await answer(role, unknown), unknown));
        }
      }
      expect(told, 'nothing foreign was found: add an object to the test').toBeGreaterThan(0);
    },
  );

  it('cannot request leases for a project of others', async () => {
    const request = async (project: number) =>
      (
        await as(
          'USER',
          `mutation ($project: ID) { requestLease(input: { type: BEST_EFFORT, duration: "PT1H", project: $project,
            machines: [{ count: 1, capacity: [{ type: "CPU", amount: 1 }] }] }) { userErrors { code path } } }`,
          { project: id('Project', project) },
        )
      ).data.requestLease.userErrors;
    const refusal = [{ code: 'PROJECT_NOT_FOUND', path: ['input', 'project'] }];
    expect(await request(foreign.project)).toEqual(refusal);
    expect(await request(99)).toEqual(refusal);
    expect(api.leases.requests).toEqual([]);
  });

  it('cannot tell a foreign recurrence from one that does not exist', async () => {
    const change = async (number: number) => {
      const input = `id: "${id('Recurrence', number)}"`;
      const query = `mutation {
        updateRecurrence(input: { ${input}, duration: "PT2H" }) { recurrence { id } userErrors { code message path } }
        cancelRecurrence(input: { ${input} }) { recurrence { id } userErrors { code message path } }
      }`;
      return JSON.stringify((await as('USER', query)).data).replaceAll(String(number), 'N');
    };
    expect(await change(foreign.recurrence)).toBe(await change(9));
    expect(await change(foreign.recurrence)).toContain('RECURRENCE_NOT_FOUND');
  });

  it('receives no foreign events', async () => {
    const event = (sequence: number, leaseId: number) =>
      ({ sequence, at: now, leaseId, from: 'READY', to: 'ACTIVE', reason: null }) as const;
    api.leases.publish(event(1, foreign.lease), event(2, own.lease), event(3, 3), event(4, own.lease));
    const text = await received('USER', 'subscription { leaseEvents(after: 0) { sequence } }', (each) =>
      each.includes('"sequence":4'),
    );
    expect([...text.matchAll(/"sequence":(\d)/g)].map(([, sequence]) => sequence)).toEqual(['2', '4']);
  });

  it('receives why its lease was preempted without the number of the lease that took its place', async () => {
    const { reasonCode: code, reasonMessage: message } = preempted;
    const reason = { code, message, data: preempted.reasonData };
    const at = { sequence: 5, at: now, leaseId: own.lease, reason };
    api.leases.publish({ ...at, from: 'ACTIVE', to: 'SUSPENDING' });
    api.leases.notices.publish({
      ...{ ...at, kind: 'LEASE_PREEMPTED', message: isPreempted, project: own.project },
      ...{ node: null, maintenance: null, facts: {} },
    });
    const events = 'subscription { leaseEvents(after: 4) { reason { message } } }';
    const notices = 'subscription { notices(after: 4) { message reason { message } } }';
    for (const subscription of [events, notices]) {
      const [hidden, shown] = await Promise.all([
        received('USER', subscription, hasElement),
        received('OPERATOR', subscription, hasElement),
      ]);
      expect(shown).toContain(`"message":"${message}"`);
      expect(shown.replaceAll('lease 777777', 'another lease')).toBe(hidden);
      expect(hidden).not.toContain('777777');
    }
  });

  describe('who subscribes', () => {
    beforeAll(() => {
      const reason = { code: secret, message: secret };
      const at = { at: now, reason, project: null, node: null, maintenance: null, facts: {} };
      api.leases.notices.publish(
        {
          ...{ ...at, sequence: 1, kind: 'LEASE_FAILED', leaseId: foreign.lease, message: secret },
          project: foreign.project,
        },
        {
          ...at,
          sequence: 2,
          kind: 'NODE_UP',
          leaseId: null,
          message: 'Node 1 is up.',
          reason: null,
          node: 1,
        },
      );
    });

    /** The first element is foreign for an administrator, and the next one is not. */
    it.each(asMember(subscriptionFields.map((field) => [field.name, field])))(
      'receives nothing foreign through %s as %s, and an administrator does',
      async (_name, role, field) => {
        const query = subscriptionTo(field);
        const text = await received(role, query, hasElement);
        expect(isForeign(text), text).toBe(false);
        expect(text).not.toBe('');
        const seen = await received('ADMIN', query, hasElement);
        expect(isForeign(seen), seen).toBe(true);
      },
    );

    const subscriptions = idArguments.filter(({ parent }) => parent === schema.getSubscriptionType());
    it.each(asMember(subscriptions.map((each) => [each.name, each])))(
      'receives nothing through %s of what it names as %s, and an administrator does',
      async (_name, role, argument) => {
        let told = 0;
        for (const guess of [id('Lease', foreign.lease), id('Project', foreign.project)]) {
          const query = operationWith(argument, guess);
          const left = new AbortController();
          const member = received(role, query, hasElement, left.signal);
          if (isForeign((await received('ADMIN', query, hasElement)).replaceAll(guess, 'ASKED'))) told += 1;
          // A filter may let nothing pass: what comes before an administrator's element is all that counts.
          left.abort();
          const text = (await member).replaceAll(guess, 'ASKED');
          expect(isForeign(text), text).toBe(false);
        }
        expect(told, 'nothing foreign was delivered: add an object to the test').toBe(
          argument.field.name === 'nodeChanged' ? 0 : 1,
        );
      },
    );
  });
});

describe('a site where everybody sees all leases', () => {
  it('shows the leases of others in full, and lets nobody else change them', async () => {
    const { prisma, leases } = api;
    const identity = createIdentity({ prisma, adminToken: 'x', visibility: 'all' });
    const site = { name: 'test', resourceTypes: ['CPU'], clockSpeed: 1, acceptsKnownDurations: false };
    const open = apiOn(prisma, {
      services: { prisma, leases, site, identity, webhooks: webhooksOn(prisma) },
    });
    const ask = async (query: string) => {
      const request = graphqlRequest(query);
      request.headers.set('authorization', `Bearer ${tokens.get('USER')}`);
      return ((await (await open.app.fetch(request)).json()) as Answer).data;
    };
    const seen = `{ lease(number: ${foreign.lease}) { name reservations { totalCount } } leases { totalCount } }`;
    expect(await ask(seen)).toEqual({
      lease: { name: `${secret} lease`, reservations: { totalCount: 2 } },
      leases: { totalCount: 4 },
    });
    const cancel = `mutation { cancelLease(input: { id: "${id('Lease', foreign.lease)}" }) { userErrors { code } } }`;
    expect((await ask(cancel)).cancelLease.userErrors).toEqual([{ code: 'FORBIDDEN' }]);
    expect(leases.cancelled).toEqual([]);
  });
});

describe('roles', () => {
  const rootFields = ['Query', 'Mutation', 'Subscription'].flatMap((type) => {
    const root = schema.getType(type);
    return isObjectType(root) ? Object.values(root.getFields()).map((field) => ({ type, field })) : [];
  });

  it('have a right for every root field, and for nothing else', () => {
    expect(Object.keys(requiredRole).sort()).toEqual(
      rootFields.map(({ type, field }) => `${type}.${field.name}`).sort(),
    );
  });

  it('are in docs/api.md as they are', () => {
    const docs = readFileSync(new URL('../../docs/api.md', import.meta.url), 'utf8');
    const rows = [...docs.matchAll(/^\| `(Query|Mutation|Subscription)\.(\w+)` \|(.*)\|$/gm)].map(
      ([, type, field, marks]) => [`${type}.${field}`, (marks ?? '').split('|').map((mark) => mark.trim())],
    );
    expect(Object.fromEntries(rows)).toEqual(
      Object.fromEntries(
        Object.entries(requiredRole).map(([field, required]) => [
          field,
          roles.map((role) => (hasRole({ role }, required) ? 'yes' : '')),
        ]),
      ),
    );
  });

  it.each(roles)('%s gets metrics and the details of readiness where the paths say so', async (role) => {
    const get = async (path: string) => {
      const headers = { authorization: `Bearer ${tokens.get(role)}` };
      const response = await api.app.fetch(new Request(`http://localhost${path}`, { headers }));
      return [response.status, await response.text()] as const;
    };
    const mayOperate = role === 'OPERATOR' || role === 'ADMIN';
    const [status, text] = await get('/metrics');
    expect(status).toBe(mayOperate ? 200 : 403);
    expect(text.includes('leasegraph_graphql_seconds')).toBe(mayOperate);
    if (!mayOperate) {
      expect(JSON.parse(text)).toEqual({
        errors: [{ message: 'The path requires the role OPERATOR.', extensions: { code: 'FORBIDDEN' } }],
      });
    }
    const details = mayOperate ? { role: 'writer', problems: [] } : {};
    const [ready, readiness] = await get('/readyz');
    expect([ready, JSON.parse(readiness)]).toEqual([200, { status: 'ready', ...details }]);
  });

  const inputOf = (argument: GraphQLArgument | undefined): string => {
    const type = argument && getNamedType(argument.type);
    if (!isInputObjectType(type)) return '';
    const fields = Object.values(type.getFields()).filter((each) => isNonNullType(each.type));
    const literalOf = (name: string, list: boolean): string => {
      const scalar: Record<string, string> = {
        ID: '"x"',
        String: '""',
        Duration: '"PT0S"',
        DateTime: '"2000-01-01T00:00:00Z"',
        LeaseType: 'DEADLINE',
        Role: 'USER',
        ActionRecovery: 'RETRY',
        NodeState: 'UP',
      };
      return list ? '[]' : (scalar[name] ?? '{}');
    };
    const text = fields.map((each) => {
      const inner = isNonNullType(each.type) ? each.type.ofType : each.type;
      return `${each.name}: ${literalOf(getNamedType(each.type).name, isListType(inner))}`;
    });
    return `(input: { ${text.join(', ')} })`;
  };

  it.each(roles)('%s may call what the matrix says', async (role) => {
    for (const { type, field } of rootFields.filter((each) => each.type !== 'Subscription')) {
      const name = `${type}.${field.name}`;
      const isMutation = type === 'Mutation';
      const parameters = isMutation ? inputOf(field.args[0]) : argumentsOf(schema.getType(type) as never, field);
      const selection = isMutation
        ? '{ userErrors { code } }'
        : isCompositeType(getNamedType(field.type))
          ? '{ __typename }'
          : '';
      const { data, errors } = await as(role, `${type.toLowerCase()} { ${field.name}${parameters} ${selection} }`);
      const codes = isMutation
        ? data?.[field.name]?.userErrors.map(({ code }: { code: string }) => code)
        : errors?.map(({ extensions }) => extensions?.code);
      const refused = JSON.stringify(codes ?? errors ?? null).includes('FORBIDDEN');
      expect([name, refused]).toEqual([name, !hasRole({ role }, requiredRole[name] as Role)]);
    }
  });
});
