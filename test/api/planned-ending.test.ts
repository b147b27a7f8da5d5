import { expect, it } from 'vitest';
import { describeEachDatabase } from '../support/databases.ts';
import { apiOnEngine } from './engine-api.ts';
import { type Answer, token as admin, graphqlRequest } from './fixture.ts';

const plan =
  'plan { accepted isComplete ends { number } sooner { lease { number } plannedStart start } } userErrors { code path }';

describeEachDatabase('a dry run of an end', (databases) => {
  it('tells which leases end and which start earlier, as far as its reader may see them', async () => {
    const { app, identity } = await apiOnEngine(databases);
    const ask = async (query: string, variables = {}, token = admin): Promise<Answer['data']> => {
      const request = graphqlRequest(query, variables);
      request.headers.set('authorization', `Bearer ${token}`);
      const { data, errors } = (await (await app.fetch(request)).json()) as Answer;
      expect(errors).toBeUndefined();
      return data;
    };
    const { createToken } = await ask('mutation { createToken(input: { name: "ada", role: USER }) { secret } }');
    const ada = createToken.secret as string;
    const request = async (fields: object, token: string): Promise<string> => {
      const input = { machines: [{ count: 2, capacity: [{ type: 'CPU', amount: 100 }] }], ...fields };
      const { requestLease } = await ask(
        'mutation ($input: RequestLeaseInput!) { requestLease(input: $input) { lease { id } } }',
        { input },
        token,
      );
      return requestLease.lease.id;
    };
    const running = await request({ type: 'IMMEDIATE', duration: 'PT1H' }, ada);
    await request({ type: 'BEST_EFFORT', duration: 'PT30M' }, admin);
    await request({ type: 'BEST_EFFORT', duration: 'PT10M' }, ada);
    const leases = '{ leases { nodes { number state actualStart estimatedStart estimatedEnd } } }';
    const started = async () => (await ask(leases)).leases.nodes.map(({ state }: { state: string }) => state);
    await expect.poll(started).toEqual(['ACTIVE', 'READY', 'QUEUED']);
    const before = await ask(leases);
    const [first] = before.leases.nodes;

    const cancel = `mutation ($id: ID!) { cancelLease(input: { id: $id, dryRun: true }) { lease { number } ${plan} } }`;
    const told = (await ask(cancel, { id: running })).cancelLease;
    expect(told).toEqual({
      lease: null,
      plan: {
        ...{ accepted: true, isComplete: true, ends: [{ number: 1 }] },
        sooner: [
          { lease: { number: 2 }, plannedStart: first.estimatedEnd, start: expect.any(String) },
          { lease: { number: 3 }, plannedStart: null, start: expect.any(String) },
        ],
      },
      userErrors: [],
    });
    const [second, third] = told.plan.sooner.map(({ start }: { start: string }) => Date.parse(start));
    expect(second).toBeLessThan(Date.parse(first.estimatedEnd));
    expect(third - second).toBe(1_800_000);
    // Lease 2 is somebody else's.
    const end = `mutation ($id: ID!) { endLease(input: { id: $id, dryRun: true }) { lease { number } ${plan} } }`;
    expect((await ask(end, { id: running }, ada)).endLease.plan).toMatchObject({
      ...{ ends: [{ number: 1 }], sooner: [{ lease: { number: 3 } }] },
    });
    expect((await ask(cancel, { id: btoa('Lease:9') })).cancelLease).toEqual({
      ...{ lease: null, plan: null, userErrors: [{ code: 'LEASE_NOT_FOUND', path: ['input', 'id'] }] },
    });

    const { createRecurrence } = await ask(
      `mutation { createRecurrence(input: { rule: "FREQ=DAILY;COUNT=3", timeZone: "UTC", duration: "PT1H",
        firstStart: "${new Date(Date.now() + 2 * 86_400_000).toISOString().slice(0, 19)}",
        machines: [{ count: 1, capacity: [{ type: "CPU", amount: 100 }] }] }) { recurrence { id } userErrors { message } } }`,
    );
    const { id } = createRecurrence.recurrence;
    const cancelAll = `mutation ($id: ID!, $from: Int) {
      cancelRecurrence(input: { id: $id, from: $from, dryRun: true }) { recurrence { number } ${plan} } }`;
    expect((await ask(cancelAll, { id, from: 2 })).cancelRecurrence).toEqual({
      recurrence: null,
      plan: { accepted: true, isComplete: true, ends: [{ number: 5 }, { number: 6 }], sooner: [] },
      userErrors: [],
    });
    expect((await ask(cancelAll, { id, from: 0 })).cancelRecurrence).toEqual({
      recurrence: null,
      plan: null,
      userErrors: [{ code: 'INVALID_REQUEST', path: ['input', 'from'] }],
    });

    expect((await ask(leases)).leases.nodes.slice(0, 3)).toEqual(before.leases.nodes);
    await identity.audit.flush();
    const audit = '{ auditLog(filter: { outcomes: ["DRY_RUN"] }) { nodes { mutation } } }';
    expect((await ask(audit)).auditLog.nodes.map(({ mutation }: { mutation: string }) => mutation)).toEqual([
      ...['cancelLease', 'endLease', 'cancelRecurrence'],
    ]);
  });
});
