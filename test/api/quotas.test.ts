import { expect, it, onTestFinished } from 'vitest';
import { defaultSchedulerConfig } from '../../src/core/index.ts';
import { SimulatedAdapter } from '../../src/enactment/index.ts';
import { createEngine } from '../../src/engine/index.ts';
import { createIdentity } from '../../src/identity/index.ts';
import { createApp } from '../../src/server/app.ts';
import { isOutage } from '../../src/store/index.ts';
import { describeEachDatabase } from '../support/databases.ts';
import { type Answer, graphqlRequest, token, webhooksOn } from './fixture.ts';

const spec = {
  resourceTypes: ['CPU', 'Memory'],
  nodes: [1, 2].map((number) => ({
    ...{ number, hostname: `node-${number}` },
    capacity: { CPU: 100, Memory: 1024 },
  })),
};

const update = `mutation ($input: UpdateProjectInput!) { updateProject(input: $input) {
  project { name quotas { type amount amountHours period maxDuration maxLeases usage { amount amountHours leases } } }
  userErrors { code message path } } }`;
const request = `mutation ($input: RequestLeaseInput!) { requestLease(input: $input) {
  lease { id number state stateReason { code message } } plan { accepted reason { code } }
  userErrors { code message path } } }`;

describeEachDatabase('quotas', (databases) => {
  it('are set by administrators, limit leases, and survive a restart', async () => {
    const database = await databases.create();
    const serve = async () => {
      const store = await database.open();
      const engine = await createEngine({
        ...{ store, adapter: new SimulatedAdapter(), scheduler: defaultSchedulerConfig },
        site: { name: 'lab', spec },
      });
      const { prisma } = store;
      const identity = createIdentity({ prisma, adminToken: token });
      const site = {
        name: 'lab',
        resourceTypes: spec.resourceTypes,
        clockSpeed: 1,
        acceptsKnownDurations: true,
      };
      const app = createApp({
        isOutage,
        services: { prisma, leases: engine, site, identity, webhooks: webhooksOn(prisma) },
      });
      const ask = async (query: string, variables?: Record<string, unknown>, as = token) => {
        const asked = graphqlRequest(query, variables);
        asked.headers.set('authorization', `Bearer ${as}`);
        const { data, errors } = (await (await app.fetch(asked)).json()) as Answer;
        expect(errors).toBeUndefined();
        return data;
      };
      const stop = async () => {
        await engine.stop();
        await store.close();
      };
      return { ask, stop };
    };
    let { ask, stop } = await serve();
    let stopped = false;
    onTestFinished(() => (stopped ? undefined : stop()));
    const created = await ask(
      `mutation { createProject(input: { name: "genomics", quotas: [{ type: "CPU", amount: 150, maxLeases: 2 }] }) {
        project { id } userErrors { code } }
        bad: createProject(input: { name: "bad", quotas: [{ type: "GPU", amount: 1 }] }) {
          project { id } userErrors { code path } }
        createToken(input: { name: "ada", role: USER, projects: ["${btoa('Project:1')}"] }) { secret } }`,
    );
    expect(created.bad).toEqual({
      project: null,
      userErrors: [{ code: 'INVALID_REQUEST', path: ['input', 'quotas', '0', 'type'] }],
    });
    expect(await ask('{ projects { nodes { name } } }')).toEqual({
      projects: { nodes: [{ name: 'genomics' }] },
    });
    const { id } = created.createProject.project;
    const ada = created.createToken.secret as string;
    const machines = (count: number) => [{ count, capacity: [{ type: 'CPU', amount: 100 }] }];
    const input = { type: 'IMMEDIATE', machines: machines(1), duration: 'PT1H' };
    expect((await ask(request, { input }, ada)).requestLease.lease.state).not.toBe('REJECTED');
    expect((await ask(request, { input: { ...input, dryRun: true } }, ada)).requestLease.plan).toEqual({
      accepted: false,
      reason: { code: 'QUOTA_EXCEEDED' },
    });
    expect((await ask(request, { input }, ada)).requestLease.lease.stateReason).toEqual({
      code: 'QUOTA_EXCEEDED',
      message: expect.stringContaining('50 are left'),
    });
    const available =
      '{ availability(machines: [{ count: 1, capacity: [{ type: "CPU", amount: 100 }] }], duration: "PT1M", from: "2020-01-01T00:00:00Z") { earliestStart } serverTime }';
    const forAda = await ask(available, {}, ada);
    expect(Date.parse(forAda.availability.earliestStart)).toBeGreaterThan(Date.parse(forAda.serverTime) + 3_000_000);

    // The records of what was accepted were written with it; that of the refusal comes after its answer.
    const records = await ask(
      '{ auditLog(filter: { mutations: ["createProject", "createToken", "requestLease"], outcomes: ["OK"] }) { nodes { mutation principal subject } } }',
    );
    // Of the dry run nothing is the subject.
    const { nodes } = records.auditLog as { nodes: { subject: string | null }[] };
    expect(nodes.filter(({ subject }) => subject !== null)).toEqual([
      { mutation: 'createProject', principal: 'admin', subject: id },
      { mutation: 'createToken', principal: 'admin', subject: btoa('Token:1') },
      { mutation: 'requestLease', principal: 'ada', subject: btoa('Lease:1') },
      { mutation: 'requestLease', principal: 'ada', subject: btoa('Lease:2') },
    ]);
    stopped = true;
    await stop();
    ({ ask, stop } = await serve());
    stopped = false;
    const seen = '{ viewer { projects { quotas { type amount usage { amount leases } } } } }';
    expect((await ask(seen, {}, ada)).viewer.projects).toEqual([
      { quotas: [{ type: 'CPU', amount: 150, usage: { amount: 100, leases: 1 } }] },
    ]);
    expect((await ask(update, { input: { id, quotas: [{ type: 'CPU', amountHours: 50 }] } })).updateProject).toEqual({
      project: null,
      userErrors: [
        {
          code: 'INVALID_REQUEST',
          message: 'A quota with amountHours needs a period, and a period needs amountHours.',
          path: ['input', 'quotas', '0', 'period'],
        },
      ],
    });
    const quotas = [{ type: 'CPU', amountHours: 500, period: 'P1D' }];
    expect((await ask(update, { input: { id, quotas } })).updateProject).toMatchObject({
      project: { quotas: [{ type: 'CPU', amount: null, amountHours: 500, period: 'P1D' }] },
      userErrors: [],
    });
    expect((await ask(update, { input: { id, quotas } }, ada)).updateProject.userErrors).toMatchObject([
      { code: 'FORBIDDEN' },
    ]);
    expect((await ask(request, { input }, ada)).requestLease.lease.state).not.toBe('REJECTED');
  });
});
