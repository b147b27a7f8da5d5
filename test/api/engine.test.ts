import { expect, it } from 'vitest';
import { type DatabaseKind, describeEachDatabase } from '../support/databases.ts';
import { apiOnEngine } from './engine-api.ts';
import { type Answer, graphqlRequest } from './fixture.ts';

async function serve(databases: DatabaseKind) {
  const { app } = await apiOnEngine(databases);
  return {
    ask: async (query: string, variables?: Record<string, unknown>): Promise<Answer['data']> => {
      const { data, errors } = (await (await app.fetch(graphqlRequest(query, variables))).json()) as Answer;
      expect(errors).toBeUndefined();
      return data;
    },
  };
}

const requestLease = `mutation ($input: RequestLeaseInput!) {
  requestLease(input: $input) { lease { id number state stateReason { code message } queuePosition } userErrors { code path } }
}`;
const cancelLease = 'mutation ($id: ID!) { cancelLease(input: { id: $id }) { lease { state } userErrors { code } } }';
const machines = (count: number, amount = 100) => [{ count, capacity: [{ type: 'CPU', amount }] }];

describeEachDatabase('the API on the engine', (databases) => {
  it('creates one lease per idempotency key', async () => {
    const { ask } = await serve(databases);
    const input = { type: 'IMMEDIATE', machines: machines(2), duration: 'PT1H', idempotencyKey: 'one' };
    const first = (await ask(requestLease, { input })).requestLease;
    expect(first).toMatchObject({ lease: { number: 1 }, userErrors: [] });
    expect((await ask(requestLease, { input })).requestLease.lease.id).toBe(first.lease.id);
    expect((await ask(requestLease, { input: { ...input, duration: 'PT2H' } })).requestLease).toMatchObject({
      lease: null,
      userErrors: [{ code: 'IDEMPOTENCY_CONFLICT' }],
    });
    const state = async () => (await ask('{ lease(number: 1) { state } }')).lease.state;
    await expect.poll(state).toBe('ACTIVE');
    const seen = await ask(`{
      leases { totalCount nodes { machines { node { number } } reservations(first: 1) { nodes { kind state nodes { number } targets { machine } } } events { nodes { sequence to } } } }
      nodes { nodes { available { type amount } } }
    }`);
    expect(seen.leases).toEqual({
      totalCount: 1,
      nodes: [
        {
          machines: [{ node: { number: expect.any(Number) } }, { node: { number: expect.any(Number) } }],
          reservations: {
            nodes: [
              {
                kind: 'VM',
                state: 'ACTIVE',
                nodes: [{ number: 1 }, { number: 2 }],
                targets: [{ machine: 1 }, { machine: 2 }],
              },
            ],
          },
          events: {
            nodes: ['PENDING', 'SCHEDULED', 'READY', 'ACTIVE'].map((to, index) => ({
              sequence: index + 1,
              to,
            })),
          },
        },
      ],
    });
    expect(seen.nodes.nodes[0].available).toEqual([
      { type: 'CPU', amount: 0 },
      { type: 'Memory', amount: 1024 },
    ]);
  });

  it('says what is missing when the site can never hold a lease', async () => {
    const { ask } = await serve(databases);
    for (const [input, message] of [
      [
        { type: 'BEST_EFFORT', machines: machines(3), duration: 'PT1H' },
        'even the empty site has room for only 2 of the 3 machines',
      ],
      [
        { type: 'IMMEDIATE', machines: machines(1, 101), duration: 'PT1H' },
        'no node is large enough: a machine needs CPU 101, and none of the 2 nodes has it',
      ],
    ] as const) {
      const { lease, userErrors } = (await ask(requestLease, { input })).requestLease;
      expect(userErrors).toEqual([]);
      expect(lease).toMatchObject({
        state: 'REJECTED',
        stateReason: { code: 'LARGER_THAN_SITE', message },
      });
    }
  });

  it('lists the queue, and cancels leases', async () => {
    const { ask } = await serve(databases);
    const request = async (type: string, duration: string) =>
      (await ask(requestLease, { input: { type, machines: machines(2), duration } })).requestLease.lease;
    const running = await request('IMMEDIATE', 'P1D');
    const reserved = await request('BEST_EFFORT', 'PT1H');
    const waiting = [await request('BEST_EFFORT', 'PT2H'), await request('BEST_EFFORT', 'PT3H')];
    const queue = async () => (await ask('{ queue { nodes { number queuePosition } } }')).queue.nodes;
    await expect.poll(queue).toEqual([
      // Backfilling has planned its start.
      { number: reserved.number, queuePosition: null },
      { number: waiting[0].number, queuePosition: 1 },
      { number: waiting[1].number, queuePosition: 2 },
    ]);
    const cancelled = await ask(cancelLease, { id: waiting[0].id });
    expect(cancelled.cancelLease).toEqual({ lease: { state: 'CANCELLED' }, userErrors: [] });
    expect(await queue()).toEqual([
      { number: reserved.number, queuePosition: null },
      { number: waiting[1].number, queuePosition: 1 },
    ]);
    expect((await ask(cancelLease, { id: waiting[0].id })).cancelLease.userErrors).toEqual([{ code: 'LEASE_ENDED' }]);
    expect((await ask(cancelLease, { id: btoa('Lease:999') })).cancelLease.userErrors).toEqual([
      { code: 'LEASE_NOT_FOUND' },
    ]);
    await ask(cancelLease, { id: running.id });
    await expect
      .poll(async () => (await ask('{ leases(filter: { states: [ACTIVE] }) { totalCount } }')).leases.totalCount)
      .toBe(1);
  });

  it('updates and ends leases', async () => {
    const { ask } = await serve(databases);
    const input = { type: 'IMMEDIATE', machines: machines(2), duration: 'PT1H' };
    const { id } = (await ask(requestLease, { input })).requestLease.lease;
    const state = async () => (await ask('{ lease(number: 1) { state } }')).lease.state;
    await expect.poll(state).toBe('ACTIVE');
    const update = async (fields: object) =>
      (
        await ask(
          `mutation ($input: UpdateLeaseInput!) { updateLease(input: $input) {
            lease { requestedDuration estimatedEnd } displaced { number } userErrors { code path } } }`,
          { input: { id, ...fields } },
        )
      ).updateLease;
    const key = { duration: 'PT2H', idempotencyKey: 'longer' };
    const { lease } = await update(key);
    expect(lease.requestedDuration).toBe('PT2H');
    expect((await update(key)).lease).toEqual(lease);
    expect((await update({ ...key, duration: 'PT3H' })).userErrors).toEqual([
      { code: 'IDEMPOTENCY_CONFLICT', path: ['input', 'idempotencyKey'] },
    ]);
    const later = new Date(Date.parse(lease.estimatedEnd)).toISOString();
    const next = { type: 'ADVANCE_RESERVATION', machines: machines(2), duration: 'PT1H', start: later };
    expect((await ask(requestLease, { input: next })).requestLease.lease.state).not.toBe('REJECTED');
    expect((await update({ duration: 'PT4H' })).userErrors).toEqual([
      { code: 'EXTENSION_BLOCKED', path: expect.arrayContaining(['input']) },
    ]);
    expect((await update({ start: later })).userErrors).toEqual([
      { code: 'INVALID_REQUEST', path: expect.arrayContaining(['input']) },
    ]);
    const refused = `mutation { updateLease(input: { id: "${id}", deadline: "${later}" }) { userErrors { message path } } }`;
    expect((await ask(refused)).updateLease.userErrors).toEqual([
      { message: 'Lease 1 is IMMEDIATE: it has no deadline.', path: ['input', 'deadline'] },
    ]);
    const end = async () =>
      (
        await ask(
          'mutation ($id: ID!) { endLease(input: { id: $id }) { lease { state stateReason { code } } userErrors { code path } } }',
          { id },
        )
      ).endLease;
    expect(await end()).toEqual({
      lease: { state: 'DONE', stateReason: { code: 'ENDED_EARLY' } },
      userErrors: [],
    });
    expect((await end()).userErrors).toEqual([{ code: 'LEASE_ENDED', path: ['input', 'id'] }]);
  });

  it('changes the name of a lease, and whether it is preemptible', async () => {
    const { ask } = await serve(databases);
    const input = { type: 'IMMEDIATE', machines: machines(2), duration: 'PT1H', name: 'draft' };
    const { id } = (await ask(requestLease, { input })).requestLease.lease;
    const update = async (fields: object) =>
      (
        await ask(
          `mutation ($input: UpdateLeaseInput!) { updateLease(input: $input) {
            lease { name preemptible requestedDuration } userErrors { code path } } }`,
          { input: { id, ...fields } },
        )
      ).updateLease;
    const before = { name: 'draft', preemptible: false, requestedDuration: 'PT1H' };
    expect((await update({ name: 'final' })).lease).toEqual({ ...before, name: 'final' });
    expect((await update({ preemptible: true, duration: 'PT2H' })).lease).toEqual({
      ...{ name: 'final', preemptible: true, requestedDuration: 'PT2H' },
    });
    expect(await update({ name: ' ' })).toEqual({
      lease: null,
      userErrors: [{ code: 'INVALID_REQUEST', path: ['input', 'name'] }],
    });
    expect((await update({ name: null, preemptible: false })).lease).toMatchObject({
      ...{ name: null, preemptible: false },
    });
  });

  it('answers what an update would do, and what is possible instead, and changes nothing', async () => {
    const { ask } = await serve(databases);
    const input = { type: 'IMMEDIATE', machines: machines(2), duration: 'PT1H' };
    const { id: running } = (await ask(requestLease, { input })).requestLease.lease;
    const rows = async () =>
      (await ask('{ leases { nodes { number state requestedDuration actualStart estimatedStart estimatedEnd } } }'))
        .leases.nodes;
    await expect.poll(async () => (await rows())[0].state).toBe('ACTIVE');
    const start = new Date(Date.parse((await rows())[0].actualStart) + 2 * 3_600_000).toISOString();
    const next = { type: 'ADVANCE_RESERVATION', machines: machines(2), duration: 'PT1H', start };
    const { id: planned } = (await ask(requestLease, { input: next })).requestLease.lease;
    await expect.poll(async () => (await rows())[1].state).toBe('READY');
    const before = await rows();
    const update = async (fields: object) =>
      (
        await ask(
          `mutation ($input: UpdateLeaseInput!) { updateLease(input: $input) {
            lease { number } displaced { number }
            plan { accepted reason { code } start end firstPossibleStart maxDuration displaces { number } machines { index node { number } capacity { amount } } }
            userErrors { code path } } }`,
          { input: fields },
        )
      ).updateLease;
    const nothing = { lease: null, displaced: [], userErrors: [] };
    const blocked = { accepted: false, start: null, end: null, displaces: [] };
    const amounts = [1, 2].map((index) => ({ index, node: null, capacity: [{ amount: 100 }] }));
    const tooLong = await update({ id: running, duration: 'PT3H', dryRun: true });
    expect(tooLong).toEqual({
      ...nothing,
      plan: {
        ...blocked,
        reason: { code: 'EXTENSION_BLOCKED' },
        machines: amounts,
        firstPossibleStart: null,
        maxDuration: 'PT2H',
      },
    });
    const tooSoon = {
      id: planned,
      start: new Date(Date.parse(start) - 5_400_000).toISOString(),
      dryRun: true,
    };
    expect(await update(tooSoon)).toEqual({
      ...nothing,
      plan: {
        ...blocked,
        reason: { code: 'NOT_SCHEDULABLE' },
        machines: amounts,
        firstPossibleStart: before[0].estimatedEnd,
        maxDuration: null,
      },
    });
    const possible = { id: running, duration: 'PT90M', dryRun: true };
    expect((await update(possible)).plan).toEqual({
      accepted: true,
      reason: null,
      start: before[0].actualStart,
      end: new Date(Date.parse(before[0].actualStart) + 5_400_000).toISOString(),
      displaces: [],
      machines: amounts.map((machine) => ({ ...machine, node: { number: machine.index } })),
      firstPossibleStart: null,
      maxDuration: null,
    });
    expect(await update({ id: running, start, dryRun: true })).toMatchObject({
      plan: null,
      userErrors: [{ code: 'INVALID_REQUEST', path: ['input', 'start'] }],
    });
    expect(await rows()).toEqual(before);
    expect(await update({ ...possible, dryRun: false })).toMatchObject({ plan: null, lease: { number: 1 } });
  });

  it('answers what would happen, when machines are available, and why a lease waits', async () => {
    const { ask } = await serve(databases);
    const input = { type: 'IMMEDIATE', machines: machines(2), duration: 'PT1H' };
    const dryRun = async () =>
      (
        await ask(
          `mutation ($input: RequestLeaseInput!) { requestLease(input: $input) {
            lease { number } plan { accepted start machines { index capacity { amount } node { number } } firstPossibleStart reason { code } } userErrors { code } } }`,
          { input: { ...input, dryRun: true } },
        )
      ).requestLease;
    expect(await dryRun()).toMatchObject({
      lease: null,
      plan: {
        accepted: true,
        machines: [
          { index: 1, capacity: [{ amount: 100 }], node: { number: 1 } },
          { index: 2, capacity: [{ amount: 100 }], node: { number: 2 } },
        ],
        firstPossibleStart: null,
      },
      userErrors: [],
    });
    const { lease: running } = (await ask(requestLease, { input })).requestLease;
    expect(running.number).toBe(1);
    const { plan } = await dryRun();
    expect(plan).toMatchObject({ accepted: false, start: null, reason: { code: 'NO_CAPACITY' } });
    const { availability } = await ask(
      '{ availability(machines: [{ count: 2, capacity: [{ type: "CPU", amount: 100 }] }], duration: "PT1H") { earliestStart asOfSequence } }',
    );
    expect(availability.earliestStart).toBe(plan.firstPossibleStart);
    const next = {
      type: 'ADVANCE_RESERVATION',
      machines: machines(2),
      duration: 'PT1H',
      start: availability.earliestStart,
    };
    expect((await ask(requestLease, { input: next })).requestLease.lease.state).not.toBe('REJECTED');
    expect((await ask('{ lease(number: 1) { waiting { code } } }')).lease).toEqual({ waiting: null });
    const { lease } = await ask('{ lease(number: 2) { waiting { code message estimatedStart } } }');
    expect(lease.waiting).toEqual({
      code: 'START_NOT_REACHED',
      message: expect.stringMatching(/planned/),
      estimatedStart: availability.earliestStart,
    });
  });

  it('drains nodes, and plans and ends maintenance', async () => {
    const { ask } = await serve(databases);
    const node = (number: number) => btoa(`ComputeNode:${number}`);
    const setState = async (state: string, collisions: string) =>
      (
        await ask(
          `mutation { setNodeState(input: { id: "${node(1)}", state: ${state}, collisions: ${collisions} }) {
            node { number state } displaced { number } userErrors { code } } }`,
        )
      ).setNodeState;
    const [start, end] = [1, 2].map((hours) => new Date(Date.now() + hours * 3_600_000).toISOString());
    const reserved = { type: 'ADVANCE_RESERVATION', machines: machines(2), duration: 'PT1H', start };
    expect((await ask(requestLease, { input: reserved })).requestLease.lease.state).not.toBe('REJECTED');
    expect((await setState('DRAINING', 'REFUSE')).userErrors).toEqual([{ code: 'WOULD_DISPLACE' }]);
    const plan = async (collisions: string) =>
      (
        await ask(
          `mutation { planMaintenance(input: { nodes: ["${node(2)}"], start: "${start}", end: "${end}", reason: "new disks", collisions: ${collisions} }) {
            maintenance { id reason nodes { number } start end } displaced { number } userErrors { code path } } }`,
        )
      ).planMaintenance;
    expect(await plan('REFUSE')).toEqual({
      maintenance: null,
      displaced: [],
      userErrors: [{ code: 'WOULD_DISPLACE', path: expect.arrayContaining(['input']) }],
    });
    const { maintenance, userErrors } = await plan('DISPLACE');
    expect(userErrors).toEqual([]);
    expect(maintenance).toMatchObject({ reason: 'new disks', nodes: [{ number: 2 }], start, end });
    const listed = async () => (await ask('{ maintenance { totalCount nodes { id } } }')).maintenance;
    expect(await listed()).toEqual({ totalCount: 1, nodes: [{ id: maintenance.id }] });
    const endIt = `mutation { endMaintenance(input: { id: "${maintenance.id}" }) { userErrors { code path } } }`;
    expect((await ask(endIt)).endMaintenance.userErrors).toEqual([]);
    expect((await ask(endIt)).endMaintenance.userErrors).toEqual([
      { code: 'MAINTENANCE_NOT_FOUND', path: ['input', 'id'] },
    ]);
    const absent = `mutation { planMaintenance(input: { nodes: ["${node(2)}", "${node(99)}"], start: "${start}", end: "${end}" }) {
      maintenance { id } userErrors { code message path } } }`;
    expect((await ask(absent)).planMaintenance).toEqual({
      maintenance: null,
      userErrors: [
        {
          code: 'NODE_NOT_FOUND',
          message: 'Node 99 does not exist.',
          path: ['input', 'nodes', '1'],
        },
      ],
    });
    expect(await listed()).toEqual({ totalCount: 0, nodes: [] });
    expect(await setState('DRAINING', 'DISPLACE')).toEqual({
      node: { number: 1, state: 'DRAINING' },
      displaced: [],
      userErrors: [],
    });
    const { setNodeState } = await ask(
      `mutation { setNodeState(input: { id: "${node(1)}", state: DRAINING, reason: "new fans" }) {
        node { stateChange { cause at by reason } } } }`,
    );
    expect(setNodeState.node.stateChange).toEqual({
      ...{ cause: 'OPERATOR', at: expect.any(String), by: 'admin', reason: 'new fans' },
    });
  });

  it('answers what a change of nodes would displace, and when it would displace nothing', async () => {
    const { app, identity } = await apiOnEngine(databases);
    const ask = async (query: string, variables?: Record<string, unknown>): Promise<Answer['data']> => {
      const { data, errors } = (await (await app.fetch(graphqlRequest(query, variables))).json()) as Answer;
      expect(errors).toBeUndefined();
      return data;
    };
    const at = (hours: number) => new Date(Math.ceil(Date.now() / 1e3) * 1e3 + hours * 3_600_000);
    const [start, end] = [at(1), at(2)].map((instant) => instant.toISOString()) as [string, string];
    const reserved = { type: 'ADVANCE_RESERVATION', machines: machines(2), duration: 'PT1H', start };
    const { id } = (await ask(requestLease, { input: reserved })).requestLease.lease;
    await expect.poll(async () => (await ask('{ lease(number: 1) { state } }')).lease.state).toBe('READY');
    const plan =
      'plan { accepted reason { code } displaces { id } withoutPlace { number } firstPossibleStart } userErrors { code path }';
    const node = btoa('ComputeNode:1');
    const drain = (collisions: string) =>
      ask(
        `mutation { setNodeState(input: { id: "${node}", state: DRAINING, collisions: ${collisions}, dryRun: true }) {
          node { number } displaced { number } ${plan} } }`,
      );
    const losing = { displaces: [{ id }], withoutPlace: [{ number: 1 }] };
    const refused = { ...losing, accepted: false, reason: { code: 'WOULD_DISPLACE' } };
    const nothing = { displaced: [], userErrors: [] };
    expect((await drain('REFUSE')).setNodeState).toEqual({
      ...nothing,
      node: null,
      plan: { ...refused, firstPossibleStart: start },
    });
    expect((await drain('DISPLACE')).setNodeState.plan).toEqual({
      ...losing,
      ...{ accepted: true, reason: null, firstPossibleStart: start },
    });
    const maintenance = (fields: string) =>
      ask(
        `mutation { planMaintenance(input: { nodes: ["${node}"], start: "${start}", dryRun: true, ${fields} }) {
          maintenance { id } displaced { number } ${plan} } }`,
      );
    expect((await maintenance(`end: "${end}"`)).planMaintenance).toEqual({
      ...nothing,
      maintenance: null,
      plan: { ...refused, firstPossibleStart: end },
    });
    expect((await maintenance(`end: "${start}"`)).planMaintenance).toMatchObject({
      plan: null,
      userErrors: [{ code: 'INVALID_REQUEST', path: ['input', 'end'] }],
    });
    expect(await ask('{ maintenance { totalCount } nodes { nodes { state } } lease(number: 1) { state } }')).toEqual({
      maintenance: { totalCount: 0 },
      nodes: { nodes: [{ state: 'UP' }, { state: 'UP' }] },
      lease: { state: 'READY' },
    });
    await identity.audit.flush();
    expect((await ask('{ auditLog { nodes { mutation outcome } } }')).auditLog.nodes).toEqual(
      expect.arrayContaining([
        { mutation: 'setNodeState', outcome: 'DRY_RUN' },
        { mutation: 'planMaintenance', outcome: 'DRY_RUN' },
        { mutation: 'planMaintenance', outcome: 'INVALID_REQUEST' },
      ]),
    );
  });

  it('says in a dry run whether a lease, maintenance or the nodes could be changed', async () => {
    const { app, identity } = await apiOnEngine(databases);
    const ask = async (query: string, variables?: Record<string, unknown>): Promise<Answer['data']> => {
      const { data, errors } = (await (await app.fetch(graphqlRequest(query, variables))).json()) as Answer;
      expect(errors).toBeUndefined();
      return data;
    };
    const running = { type: 'IMMEDIATE', machines: machines(1), duration: 'PT1H' };
    const { id } = (await ask(requestLease, { input: running })).requestLease.lease;
    await expect.poll(async () => (await ask('{ lease(number: 1) { state } }')).lease.state).toBe('ACTIVE');
    const [first, second] = [btoa('ComputeNode:1'), btoa('ComputeNode:2')];
    const capacity = '[{ type: "CPU", amount: 100 }, { type: "Memory", amount: 1024 }]';
    expect(
      await ask(`mutation {
        endLease(input: { id: "${id}", dryRun: true }) { lease { number } userErrors { code } }
        none: endLease(input: { id: "${btoa('Lease:9')}", dryRun: true }) { userErrors { code message path } }
        endMaintenance(input: { id: "${btoa('Maintenance:x')}", dryRun: true }) { maintenance { id } userErrors { code } }
        addNodes(input: { nodes: [{ hostname: "new", capacity: ${capacity} }], dryRun: true }) { nodes { number } userErrors { code } }
        updateNode(input: { id: "${second}", capacity: ${capacity}, dryRun: true }) { node { number } userErrors { code } }
        removeNode(input: { id: "${second}", dryRun: true }) { node { number } userErrors { code } }
        used: removeNode(input: { id: "${first}", dryRun: true }) { node { number } userErrors { code path } }
      }`),
    ).toEqual({
      endLease: { lease: null, userErrors: [] },
      none: {
        userErrors: [{ code: 'LEASE_NOT_FOUND', message: 'Lease 9 does not exist.', path: ['input', 'id'] }],
      },
      endMaintenance: { maintenance: null, userErrors: [{ code: 'MAINTENANCE_NOT_FOUND' }] },
      addNodes: { nodes: [], userErrors: [] },
      updateNode: { node: null, userErrors: [] },
      removeNode: { node: null, userErrors: [] },
      used: { node: null, userErrors: [{ code: 'NODE_IN_USE', path: ['input', 'id'] }] },
    });
    expect(await ask('{ lease(number: 1) { state } nodes { totalCount } }')).toEqual({
      lease: { state: 'ACTIVE' },
      nodes: { totalCount: 2 },
    });
    await identity.audit.flush();
    expect(
      (await ask('{ auditLog(filter: { outcomes: ["DRY_RUN"] }) { nodes { mutation } } }')).auditLog.nodes,
    ).toEqual(['endLease', 'addNodes', 'updateNode', 'removeNode'].map((mutation) => ({ mutation })));
  });

  it('shows the scheduler, and what hosts were told', async () => {
    const { ask } = await serve(databases);
    const input = { type: 'IMMEDIATE', machines: machines(1), duration: 'PT1H' };
    await ask(requestLease, { input });
    await expect
      .poll(async () => (await ask('{ lease(number: 1) { actions { nodes { kind state nodes { number } } } } }')).lease)
      .toEqual({ actions: { nodes: [{ kind: 'START', state: 'SUCCEEDED', nodes: [{ number: 1 }] }] } });
    expect((await ask('{ nodes { nodes { actions { nodes { kind lease { number } } } } } }')).nodes.nodes).toEqual([
      { actions: { nodes: [{ kind: 'START', lease: { number: 1 } }] } },
      { actions: { nodes: [] } },
    ]);
    const { scheduler } = await ask(
      '{ scheduler { role epoch clockSpeed lastPassAt lastPassDuration liveLeases queueLength problems configuration } }',
    );
    expect(scheduler).toEqual({
      role: 'writer',
      epoch: 1,
      clockSpeed: 1,
      lastPassAt: expect.any(String),
      lastPassDuration: expect.stringMatching(/^PT/),
      liveLeases: 1,
      queueLength: 0,
      problems: [],
      configuration: {},
    });
  });

  it('ends machines after their known duration', async () => {
    const { ask } = await serve(databases);
    const input = { type: 'IMMEDIATE', machines: machines(1), duration: 'PT1H', knownDuration: 'PT0.2S' };
    await ask(requestLease, { input });
    const lease = async () => (await ask('{ lease(number: 1) { state accumulatedDuration } }')).lease;
    await expect.poll(async () => (await lease()).state).toBe('DONE');
    expect((await lease()).accumulatedDuration).toMatch(/^PT[01](\.\d+)?S$/);
  });
});
