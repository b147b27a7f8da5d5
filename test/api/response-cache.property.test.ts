/**
 * Answers that are kept are those that would be made anew: after any sequence of commands, changes past the engine,
 * passing of time and queries under any rights, two servers that keep answers give what one gives that keeps none.
 */
import fc from 'fast-check';
import { Registry } from 'prom-client';
import { expect, it, onTestFinished } from 'vitest';
import { schema } from '../../src/api/index.ts';
import { defaultSchedulerConfig, Scheduler } from '../../src/core/index.ts';
import { SimulatedAdapter } from '../../src/enactment/index.ts';
import { createEngine } from '../../src/engine/index.ts';
import { createIdentity, type Role } from '../../src/identity/index.ts';
import { type App, createApp } from '../../src/server/app.ts';
import { isOutage, type OpenStore } from '../../src/store/index.ts';
import { type DatabaseKind, describeDatabase } from '../support/databases.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { type Answer, graphqlRequest, minute, now, token, webhooksOn } from './fixture.ts';
import { type Operation, Operations } from './generated-operations.ts';

const factor = Number(process.env.PROPERTY_FACTOR ?? 1);

async function setUp(databases: DatabaseKind) {
  const store = await (await databases.create()).open();
  const { prisma } = store;
  const clock = new ManualClock(now);
  const capacity = { CPU: 100, Memory: 1024 };
  const nodes = [1, 2, 3].map((number) => ({ number, hostname: `node-${number}`, capacity }));
  const spec = { resourceTypes: ['CPU', 'Memory'], nodes };
  const engine = await createEngine({
    store,
    adapter: new SimulatedAdapter(),
    site: { name: 'lab', spec },
    scheduler: defaultSchedulerConfig,
    clock,
    restore: (site, config, snapshot) => Scheduler.restore(site, config, snapshot),
  });
  onTestFinished(() => engine.stop());
  const identity = createIdentity({ prisma, adminToken: token });
  const site = { name: 'lab', resourceTypes: spec.resourceTypes, clockSpeed: 1, acceptsKnownDurations: true };
  const services = { prisma, leases: engine, site, identity, webhooks: webhooksOn(prisma) };
  const limits = { aliases: 1_000, costBurst: 1e12, costPerSecond: 1e12 };
  const registry = new Registry();
  const version = () => store.version();
  const keeping = [registry, undefined].map((each) =>
    createApp({ isOutage, services, limits, version, registry: each }),
  );
  const [first, second] = keeping as [App, App];
  const plain = createApp({ isOutage, services, limits });
  const outcomes = async () => {
    const metric = await registry.getSingleMetric('leasegraph_cached_answers_total')?.get();
    return Object.fromEntries((metric?.values ?? []).map(({ labels, value }) => [labels.outcome, value]));
  };
  return { clock, identity, outcomes, store, first, second, plain };
}

async function ask(app: App, { query, variables }: Operation, as: string) {
  const request = graphqlRequest(query, variables);
  request.headers.set('authorization', `Bearer ${as}`);
  const response = await app.fetch(request);
  const { data, errors } = (await response.json()) as Answer;
  const codes = errors?.map(({ message, path, extensions }) => ({ message, path, code: extensions?.code }));
  return { status: response.status, data, errors: codes };
}

/** Changes that no event and no commit of the engine tells of. */
const changes: readonly ((store: OpenStore, value: number) => Promise<unknown>)[] = [
  ({ prisma }, value) =>
    prisma.computeNode.updateMany({ where: { number: 1 }, data: { labels: { rack: `r${value}` } } }),
  ({ prisma }, value) => prisma.lease.updateMany({ where: { number: 1 }, data: { name: `renamed ${value}` } }),
  ({ prisma }, value) => prisma.project.updateMany({ where: { number: 1 }, data: { name: `project ${value}` } }),
  ({ prisma }, value) =>
    prisma.leaseMachine.updateMany({ where: { leaseNumber: 1 }, data: { nodeNumber: (value % 3) + 1 } }),
  ({ prisma }, value) =>
    prisma.reservation.updateMany({
      where: { number: 1 },
      data: { end: new Date(Date.UTC(2040, 0, 1) + value) },
    }),
  ({ prisma }) => prisma.auditEntry.deleteMany({ where: { number: { lte: 2 } } }),
  ({ prisma }) => prisma.leaseEvent.deleteMany({ where: { sequence: { lte: 1 } } }),
];

/** Lists that something is in, beside those that are generated. */
const lists: readonly Operation[] = [
  `{ leases { nodes { number name state owner { name } project { name } machines { node { hostname labels { value } } }
     reservations { nodes { kind state end nodes { hostname } } } } } }`,
  '{ nodes { nodes { hostname state labels { value } available { amount } } } }',
  '{ leases { nodes { number accumulatedDuration } totalCount } viewer { name } }',
  '{ projects { nodes { name leases { totalCount } } } events(last: 20) { nodes { sequence to } } }',
  '{ tokens { nodes { name revokedAt } } }',
  '{ webhooks { nodes { url } } notices { totalCount } recurrences { nodes { number leases { totalCount } } } }',
].map((query) => ({ query, variables: {} }));

describeDatabase('embedded', 'answers that are kept', (databases) => {
  it('are those that would be made anew', { timeout: 300_000 * factor }, async () => {
    const { clock, first, identity, outcomes, plain, second, store } = await setUp(databases);
    for (const name of ['one', 'two']) await identity.projects.create(name, []);
    const callers = [token];
    const addToken = async (name: string, role: Role, projects: readonly number[]) => {
      const { secret, token: made } = await identity.tokens.create({ name, role, projects, expiresAt: null });
      callers.push(secret);
      return made.number;
    };
    const numbers = [
      await addToken('user-1', 'USER', [1]),
      await addToken('user-2', 'USER', [2]),
      await addToken('user-without', 'USER', []),
      await addToken('viewer-1', 'VIEWER', [1]),
      await addToken('viewer-without', 'VIEWER', []),
      await addToken('operator', 'OPERATOR', [1]),
    ];
    const operations = new Operations(schema, now);
    const asked: Operation[] = [...lists];
    let compared = 0;
    /** The same query to all servers while nothing is committed: which is so if the versions are equal. */
    const compare = async (operation: Operation, as: string): Promise<void> => {
      for (let attempt = 0; attempt < 20; attempt += 1) {
        const before = await store.version();
        const answers = [
          await ask(first, operation, as),
          await ask(plain, operation, as),
          await ask(first, operation, as),
          ...(await Promise.all([second, second].map((app) => ask(app, operation, as)))),
        ];
        if ((await store.version()) !== before) continue;
        compared += 1;
        for (const answer of answers) expect(answer, JSON.stringify(operation)).toEqual(answers[1]);
        return;
      }
      throw new Error('the database does not rest');
    };
    let revoked = 0;
    await fc.assert(
      fc.asyncProperty(fc.gen(), async (draw) => {
        const step = draw(fc.nat, { max: 9 });
        const as = draw(() => fc.constantFrom(...callers));
        if (step === 0) clock.advance(draw(fc.integer, { min: 1, max: 90 }) * minute);
        else if (step === 1) {
          await draw(() => fc.constantFrom(...changes))(store, draw(fc.integer, { min: 1, max: 1_000 }));
        } else if (step === 2 && revoked < 3 && draw(fc.nat, { max: 9 }) === 0) {
          await identity.tokens.revoke(numbers[revoked] as number);
          revoked += 1;
        } else if (step < 5) {
          const mutation = operations.draw(draw, 'mutation');
          await ask(draw(fc.boolean) ? first : second, mutation, draw(fc.boolean) ? token : as);
        } else if (step < 7) asked.push(operations.draw(draw, 'query'));
        const again = draw(() => fc.constantFrom(...asked.slice(0, lists.length), ...asked.slice(-4)));
        await compare(again, as);
        // Others ask the same: with their rights.
        await compare(
          again,
          draw(() => fc.constantFrom(...callers)),
        );
      }),
      { numRuns: Math.ceil(150 * factor), endOnFailure: true },
    );
    // Otherwise it proves nothing.
    expect(compared).toBeGreaterThan(250 * factor);
    const { hit = 0, miss = 0, volatile: dependent = 0 } = await outcomes();
    expect(hit).toBeGreaterThan(50 * factor);
    expect(miss).toBeGreaterThan(30 * factor);
    expect(dependent).toBeGreaterThan(3 * factor);
  });
});
