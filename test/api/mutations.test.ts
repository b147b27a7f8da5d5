import { afterAll, afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { CommandError } from '../../src/engine/ports.ts';
import { createIdentity } from '../../src/identity/index.ts';
import { type Api, apiOn, apiOnNewDatabase, hour, lease, minute, now, token, webhooksOn } from './fixture.ts';

const api = await apiOnNewDatabase();
afterAll(() => api[Symbol.asyncDispose]());

const id = (number: number) => btoa(`Lease:${number}`);
const iso = (instant: number) => new Date(instant).toISOString();

const requestLease = `mutation ($input: RequestLeaseInput!) {
  requestLease(input: $input) { lease { number state stateReason { code } } userErrors { code message path } }
}`;
const cancelLease = `mutation ($id: ID!) { cancelLease(input: { id: $id }) { lease { number state } userErrors { code message path } } }`;

const good = {
  type: 'BEST_EFFORT',
  machines: [{ count: 1, capacity: [{ type: 'CPU', amount: 100 }] }],
  duration: 'PT1H',
};

let current: Api;
beforeEach(async () => {
  current = apiOn(api.prisma);
  await api.prisma.lease.deleteMany();
  await api.prisma.idempotencyKey.deleteMany();
});

// Records of refused mutations are written after the answer, and belong to no later test.
afterEach(() => current.auditWritten());

describe('userErrors', () => {
  const refusal = async (error: CommandError) => {
    current.leases.cancel = async () => {
      throw error;
    };
    const query = `mutation { cancelLease(input: { id: "${id(1)}" }) {
      lease { number } userErrors { code reason message path retryable retryAfter } } }`;
    await api.prisma.lease.create({ data: lease(1, { state: 'ACTIVE' }) });
    const { data, errors } = await current.ask(query);
    expect(errors).toBeUndefined();
    expect(data.cancelLease.lease).toBeNull();
    return data.cancelLease.userErrors;
  };

  it('say of a refusal that the same request will be refused again', async () => {
    expect(await refusal(new CommandError('LEASE_ENDED', 'Lease 1 has ended.'))).toEqual([
      {
        ...{ code: 'LEASE_ENDED', reason: 'LEASE_ENDED', message: 'Lease 1 has ended.' },
        ...{ path: ['input', 'id'], retryable: false, retryAfter: null },
      },
    ]);
  });

  it.each(['UNAVAILABLE', 'SHUTTING_DOWN'] as const)('say of %s when to repeat the request', async (code) => {
    expect(await refusal(new CommandError(code, 'Try again.', [], true))).toEqual([
      {
        ...{ code, reason: code, message: 'Try again.' },
        ...{ path: ['input', 'id'], retryable: true, retryAfter: 'PT1S' },
      },
    ]);
  });

  it('say what the engine says of its own refusal, whatever its code', async () => {
    expect(await refusal(new CommandError('NODE_IN_USE', 'It is busy.', ['id'], true))).toMatchObject([
      { reason: 'NODE_IN_USE', retryable: true, retryAfter: 'PT1S' },
    ]);
  });
});

describe('requestLease', () => {
  const request = async (input: Record<string, unknown>, on = current) => {
    const { data, errors } = await on.ask(requestLease, { input });
    expect(errors).toBeUndefined();
    return data.requestLease;
  };

  it('passes the whole request to the engine, and returns the lease as stored', async () => {
    current.leases.answer = async () => {
      await api.prisma.lease.create({ data: lease(1, { state: 'SCHEDULED' }) });
      return 1;
    };
    const answer = await request({
      type: 'ADVANCE_RESERVATION',
      name: 'mine',
      machines: [
        {
          count: 2,
          capacity: [
            { type: 'CPU', amount: 100 },
            { type: 'Memory', amount: 2 ** 53 - 1 },
            { type: 'CPU', amount: 50 },
          ],
        },
        { count: 1, capacity: [{ type: 'Memory', amount: 1 }] },
      ],
      duration: 'PT90M',
      start: '2030-01-31T10:00:00+01:00',
      preemptible: true,
      diskImage: { name: 'debian.img', sizeMb: 5_000_000_000 },
      idempotencyKey: 'once',
    });
    expect(answer).toEqual({ lease: { number: 1, state: 'SCHEDULED', stateReason: null }, userErrors: [] });
    const large = { CPU: [100, 50], Memory: 2 ** 53 - 1 };
    expect(current.leases.requests).toEqual([
      {
        key: 'once',
        request: {
          type: 'ADVANCE_RESERVATION',
          name: 'mine',
          machines: [large, large, { Memory: 1 }],
          duration: 90 * minute,
          start: now + hour,
          preemptible: true,
          image: { name: 'debian.img', sizeMb: 5_000_000_000 },
          knownDuration: null,
          deadline: null,
          owner: 'admin',
          project: null,
        },
      },
    ]);
  });

  it('makes only best-effort leases preemptible by default', async () => {
    current.leases.answer = async ({ preemptible }) => (preemptible ? 1 : 2);
    await api.prisma.lease.createMany({ data: [lease(1), lease(2)] });
    const preemptible = async (input: object) => (await request({ ...good, ...input })).lease.number === 1;
    expect(await preemptible({})).toBe(true);
    expect(await preemptible({ preemptible: false })).toBe(false);
    expect(await preemptible({ type: 'IMMEDIATE' })).toBe(false);
    expect(await preemptible({ type: 'IMMEDIATE', preemptible: true })).toBe(true);
  });

  const machine = (capacity: unknown, count = 1) => ({ machines: [{ count, capacity }] });
  it.each([
    ['a deadline lease without a deadline', { type: 'DEADLINE' }, 'INVALID_REQUEST', ['input', 'deadline']],
    [
      'a deadline that is too early',
      { type: 'DEADLINE', deadline: iso(now + hour - 1) },
      'DEADLINE_CANNOT_BE_MET',
      ['input', 'deadline'],
    ],
    [
      'a deadline that is too early for the start',
      { type: 'DEADLINE', start: iso(now + 1), deadline: iso(now + hour) },
      'DEADLINE_CANNOT_BE_MET',
      ['input', 'deadline'],
    ],
    ['a lease of an unknown type', { type: 'UNKNOWN' }, 'INVALID_REQUEST', ['input', 'type']],
    ['no machines', { machines: [] }, 'INVALID_REQUEST', ['input', 'machines']],
    [
      'a set of 0 machines',
      machine([{ type: 'CPU', amount: 1 }], 0),
      'INVALID_REQUEST',
      ['input', 'machines', '0', 'count'],
    ],
    [
      'a negative number of machines',
      machine([{ type: 'CPU', amount: 1 }], -3),
      'INVALID_REQUEST',
      ['input', 'machines', '0', 'count'],
    ],
    ['too many machines', machine([{ type: 'CPU', amount: 1 }], 10_001), 'INVALID_REQUEST', ['input', 'machines']],
    [
      'far too many machines',
      machine([{ type: 'CPU', amount: 1 }], 2 ** 31 - 1),
      'INVALID_REQUEST',
      ['input', 'machines'],
    ],
    [
      'too many amounts over all machines',
      machine(new Array(101).fill({ type: 'CPU', amount: 1 }), 1_000),
      'INVALID_REQUEST',
      ['input', 'machines'],
    ],
    ['a machine without resources', machine([]), 'INVALID_REQUEST', ['input', 'machines', '0', 'capacity']],
    [
      'a machine whose amounts are all 0',
      machine([{ type: 'CPU', amount: 0 }]),
      'INVALID_REQUEST',
      ['input', 'machines', '0', 'capacity'],
    ],
    [
      'an unknown resource',
      machine([
        { type: 'CPU', amount: 1 },
        { type: 'GPU', amount: 1 },
      ]),
      'INVALID_REQUEST',
      ['input', 'machines', '0', 'capacity', '1', 'type'],
    ],
    [
      'a property of Object.prototype as a resource',
      machine([{ type: '__proto__', amount: 1 }]),
      'INVALID_REQUEST',
      ['input', 'machines', '0', 'capacity', '0', 'type'],
    ],
    ['a duration of 0', { duration: 'PT0S' }, 'INVALID_REQUEST', ['input', 'duration']],
    ['more than ten years', { duration: 'P3651D' }, 'INVALID_REQUEST', ['input', 'duration']],
    ['an empty name', { name: ' ' }, 'INVALID_REQUEST', ['input', 'name']],
    ['a long name', { name: 'x'.repeat(201) }, 'INVALID_REQUEST', ['input', 'name']],
    ['a name with control characters', { name: 'a\u0000b' }, 'INVALID_REQUEST', ['input', 'name']],
    ['a name with a C1 control character', { name: 'a\u009b2J' }, 'INVALID_REQUEST', ['input', 'name']],
    ['a name that nobody sees', { name: '\u200b' }, 'INVALID_REQUEST', ['input', 'name']],
    ['a name of joiners', { name: '\u200d\ufe0f' }, 'INVALID_REQUEST', ['input', 'name']],
    ['a name that is shown in reverse', { name: 'a\u202eb' }, 'INVALID_REQUEST', ['input', 'name']],
    ['a name that looks like another', { name: 'a\u2060b' }, 'INVALID_REQUEST', ['input', 'name']],
    ['a name with a separator of lines', { name: 'a\u2028b' }, 'INVALID_REQUEST', ['input', 'name']],
    ['a name with an unpaired surrogate', { name: 'x\ud83d' }, 'INVALID_REQUEST', ['input', 'name']],
    ['a key with an unpaired surrogate', { idempotencyKey: '\udca5x' }, 'INVALID_REQUEST', ['input', 'idempotencyKey']],
    ['an empty key', { idempotencyKey: '' }, 'INVALID_REQUEST', ['input', 'idempotencyKey']],
    ['a long key', { idempotencyKey: 'x'.repeat(201) }, 'INVALID_REQUEST', ['input', 'idempotencyKey']],
    [
      'an image without a name',
      { diskImage: { name: '', sizeMb: 1 } },
      'INVALID_REQUEST',
      ['input', 'diskImage', 'name'],
    ],
    ['an advance reservation without a start', { type: 'ADVANCE_RESERVATION' }, 'INVALID_REQUEST', ['input', 'start']],
    [
      'an advance reservation in the past',
      { type: 'ADVANCE_RESERVATION', start: iso(now - 1) },
      'START_IN_PAST',
      ['input', 'start'],
    ],
    [
      'an advance reservation that ends after the year 9999',
      { type: 'ADVANCE_RESERVATION', start: '9999-12-31T23:30:00Z' },
      'INVALID_REQUEST',
      ['input', 'start'],
    ],
    ['a start of a best-effort lease', { start: iso(now + hour) }, 'INVALID_REQUEST', ['input', 'start']],
    [
      'a start of an immediate lease',
      { type: 'IMMEDIATE', start: iso(now + hour) },
      'INVALID_REQUEST',
      ['input', 'start'],
    ],
    ['a deadline of a best-effort lease', { deadline: iso(now + hour) }, 'INVALID_REQUEST', ['input', 'deadline']],
    [
      'a known duration on a server that does not simulate',
      { knownDuration: 'PT1M' },
      'SIMULATION_ONLY',
      ['input', 'knownDuration'],
    ],
  ])('refuses %s', async (_what, input, code, path) => {
    const answer = await request({ ...good, ...input });
    expect(answer).toEqual({
      lease: null,
      userErrors: [{ code, path, message: expect.stringMatching(/\w+ \w+/) }],
    });
    expect(current.leases.requests).toEqual([]);
  });

  it('accepts a deadline lease with an earliest start in the past', async () => {
    current.leases.answer = async () => 1;
    await api.prisma.lease.create({ data: lease(1) });
    const input = { ...good, type: 'DEADLINE', start: iso(now - hour), deadline: iso(now + hour) };
    expect((await request(input)).userErrors).toEqual([]);
    expect(current.leases.requests[0]?.request).toMatchObject({ start: now - hour, deadline: now + hour });
  });

  it('returns all errors of a request at once', async () => {
    const { userErrors } = await request({
      ...good,
      name: '',
      duration: 'PT0S',
      machines: [{ count: 0, capacity: [{ type: 'X', amount: 0 }] }],
    });
    expect(userErrors.map(({ path }: { path: string[] }) => path.slice(1).join('.'))).toEqual([
      'name',
      'machines.0.count',
      'machines.0.capacity.0.type',
      'machines.0.capacity',
      'duration',
    ]);
  });

  it('returns the path into literals as into variables', async () => {
    const query = (input: string) => `{ requestLease(input: ${input}) { lease { id } userErrors { code path } } }`;
    const machines = '[{ count: 1, capacity: [{ type: "CPU", amount: 1 }, { type: "GPU", amount: 1 }] }]';
    const errors = [{ code: 'INVALID_REQUEST', path: ['input', 'machines', '0', 'capacity', '1', 'type'] }];
    const literal = await current.ask(
      `mutation ${query(`{ type: BEST_EFFORT, duration: "PT1H", machines: ${machines} }`)}`,
    );
    expect(literal.data.requestLease).toEqual({ lease: null, userErrors: errors });
    const capacity = ['CPU', 'GPU'].map((type) => ({ type, amount: 1 }));
    const mixed = await current.ask(
      `mutation ($of: [MachineSetInput!]!) ${query('{ type: BEST_EFFORT, duration: "PT1H", machines: $of }')}`,
      { of: [{ count: 1, capacity }] },
    );
    expect(mixed.data.requestLease).toEqual({ lease: null, userErrors: errors });
  });

  it('returns at most 50 errors', async () => {
    const capacity = Array.from({ length: 5_000 }, () => ({ type: 'X', amount: 1 }));
    const { userErrors } = await request({ ...good, machines: [{ count: 1, capacity }] });
    expect(userErrors).toHaveLength(50);
  });

  it.each([
    ['a negative amount', machine([{ type: 'CPU', amount: -1 }])],
    ['half an amount', machine([{ type: 'CPU', amount: 0.5 }])],
    ['a huge amount', machine([{ type: 'CPU', amount: 2 ** 53 }])],
    ['a negative duration', { duration: '-PT1H' }],
    ['a duration in months', { duration: 'P1M' }],
    ['an instant without an offset', { start: '2030-01-31T10:00:00' }],
  ])('refuses %s before execution', async (_what, input) => {
    const response = await current.post(requestLease, { input: { ...good, ...input } });
    const { errors } = (await response.json()) as { errors: unknown[] };
    expect(errors).toEqual([
      expect.objectContaining({ extensions: expect.objectContaining({ code: 'BAD_USER_INPUT' }) }),
    ]);
    expect(current.leases.requests).toEqual([]);
  });

  it('accepts a request at every limit', async () => {
    current.leases.answer = async () => 1;
    await api.prisma.lease.create({ data: lease(1) });
    const { userErrors } = await request({
      type: 'ADVANCE_RESERVATION',
      machines: [
        {
          count: 10_000,
          capacity: [
            { type: 'CPU', amount: 0 },
            { type: 'Memory', amount: 1 },
          ],
        },
      ],
      duration: 'P3650D',
      start: iso(now),
      name: 'x'.repeat(200),
      idempotencyKey: 'x'.repeat(200),
    });
    expect(userErrors).toEqual([]);
    expect(current.leases.requests[0]?.request.machines).toHaveLength(10_000);
  });

  it('accepts known durations on a server that simulates', async () => {
    const simulating = apiOn(api.prisma, {
      services: {
        prisma: api.prisma,
        leases: current.leases,
        identity: createIdentity({ prisma: api.prisma, adminToken: token }),
        webhooks: webhooksOn(api.prisma),
        site: { name: 's', resourceTypes: ['CPU'], clockSpeed: 9, acceptsKnownDurations: true },
      },
    });
    current.leases.answer = async () => 1;
    await api.prisma.lease.create({ data: lease(1) });
    expect((await request({ ...good, knownDuration: 'PT10M' }, simulating)).userErrors).toEqual([]);
    expect(current.leases.requests[0]?.request.knownDuration).toBe(10 * minute);
    expect((await request({ ...good, knownDuration: 'PT0S' }, simulating)).userErrors).toHaveLength(1);
  });

  it('returns refusals of the engine with their codes', async () => {
    for (const code of ['IDEMPOTENCY_CONFLICT', 'UNAVAILABLE', 'SHUTTING_DOWN', 'INVALID_REQUEST'] as const) {
      current.leases.answer = async () => {
        throw new CommandError(code, 'says the engine', code === 'INVALID_REQUEST' ? ['machines', '0'] : []);
      };
      expect(await request(good)).toEqual({
        lease: null,
        userErrors: [
          {
            code,
            message: 'says the engine',
            path: code === 'INVALID_REQUEST' ? ['input', 'machines', '0'] : null,
          },
        ],
      });
    }
  });

  it('returns the lease of a request that is repeated after its start has passed', async () => {
    const input = { ...good, type: 'ADVANCE_RESERVATION', start: iso(now - minute), idempotencyKey: 'again' };
    current.leases.answer = async () => 1;
    await api.prisma.lease.create({ data: lease(1) });
    expect((await request(input)).userErrors).toEqual([expect.objectContaining({ code: 'START_IN_PAST' })]);
    await api.prisma.idempotencyKey.create({
      data: { principal: 'admin', key: 'again', inputHash: 'x', leaseNumber: 1 },
    });
    expect(await request(input)).toMatchObject({ lease: { number: 1 }, userErrors: [] });
    expect((await request({ ...input, name: '' })).userErrors.length).toBe(2);
  });

  it('hides unexpected errors behind a request id', async () => {
    for (const error of [new TypeError('secret details'), new CommandError('INTERNAL', 'secret details')]) {
      current.leases.answer = async () => {
        throw error;
      };
      const { errors } = await current.ask(requestLease, { input: good });
      expect(JSON.stringify(errors)).not.toContain('secret');
      expect(errors).toEqual([
        expect.objectContaining({
          path: ['requestLease'],
          extensions: { code: 'INTERNAL', requestId: expect.stringMatching(/^[0-9a-f-]{36}$/) },
        }),
      ]);
    }
  });

  it.each([
    ['without a key', undefined, 'without an idempotency key would create a second lease'],
    ['with a key', 'k', 'with its idempotency key returns it'],
  ])('names a lease that was committed but cannot be read: %s', async (_what, idempotencyKey, advice) => {
    current.leases.answer = async () => 7;
    const { data, errors } = await current.ask(requestLease, { input: { ...good, idempotencyKey } });
    expect(data.requestLease).toEqual({ lease: null, userErrors: [] });
    expect(errors).toEqual([
      expect.objectContaining({
        path: ['requestLease', 'lease'],
        extensions: expect.objectContaining({
          code: 'INTERNAL',
          committed: [{ field: 'requestLease', leaseNumber: 7, message: expect.stringContaining(advice) }],
        }),
      }),
    ]);
  });

  it('names a lease that was committed when the answer takes too long', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const hasty = apiOn(api.prisma, { limits: { operationTimeout: 5_000 } });
    hasty.leases.answer = async () => 8;
    // The operation takes too long while the second mutation is carried out, however long the first has taken.
    hasty.leases.cancel = () => {
      vi.advanceTimersByTime(5_000);
      return new Promise(() => {});
    };
    const { errors } = await hasty.ask(
      `mutation ($input: RequestLeaseInput!) {
        first: requestLease(input: $input) { userErrors { code } }
        second: cancelLease(input: { id: "${id(1)}" }) { userErrors { code } }
      }`,
      { input: good },
    );
    expect(errors?.[0]?.extensions).toMatchObject({
      code: 'TIMEOUT',
      committed: [{ field: 'first', leaseNumber: 8 }],
    });
  });

  it('reads data again after each mutation of a document', async () => {
    await api.prisma.lease.create({ data: lease(1, { state: 'ACTIVE' }) });
    current.leases.answer = async () => 1;
    current.leases.cancel = async () => {
      await api.prisma.lease.update({ where: { number: 1 }, data: { state: 'CANCELLED' } });
    };
    const { data } = await current.ask(
      `mutation ($input: RequestLeaseInput!) {
        first: requestLease(input: $input) { lease { state } }
        second: cancelLease(input: { id: "${id(1)}" }) { lease { state } }
      }`,
      { input: good },
    );
    expect(data).toEqual({
      first: { lease: { state: 'ACTIVE' } },
      second: { lease: { state: 'CANCELLED' } },
    });
  });
});

describe('cancelLease', () => {
  const cancel = async (leaseId: string) => {
    const { data, errors } = await current.ask(cancelLease, { id: leaseId });
    expect(errors).toBeUndefined();
    return data.cancelLease;
  };

  it('returns the lease as stored', async () => {
    await api.prisma.lease.create({ data: lease(3, { state: 'CANCELLED' }) });
    expect(await cancel(id(3))).toEqual({ lease: { number: 3, state: 'CANCELLED' }, userErrors: [] });
    expect(current.leases.cancelled).toEqual([3]);
  });

  it.each(['nonsense', '', btoa('ComputeNode:1'), btoa('Lease:-1'), btoa('Lease:1e9'), btoa('Lease:4294967297')])(
    'refuses the id %j',
    async (wrong) => {
      expect(await cancel(wrong)).toEqual({
        lease: null,
        userErrors: [{ code: 'INVALID_ID', message: expect.any(String), path: ['input', 'id'] }],
      });
      expect(current.leases.cancelled).toEqual([]);
    },
  );

  it('returns LEASE_NOT_FOUND, LEASE_ENDED and LEASE_QUARANTINED of the engine', async () => {
    for (const code of ['LEASE_NOT_FOUND', 'LEASE_ENDED', 'LEASE_QUARANTINED'] as const) {
      current.leases.cancel = async () => {
        throw new CommandError(code, 'says the engine');
      };
      expect(await cancel(id(9))).toEqual({
        lease: null,
        userErrors: [{ code, message: 'says the engine', path: ['input', 'id'] }],
      });
    }
  });
});

describe('a lease that is left out because what is stored of it is not sound', () => {
  it('waits with the code QUARANTINED', async () => {
    await api.prisma.lease.create({ data: lease(9, { state: 'READY' }) });
    current.leases.result = async () => {
      throw new CommandError('LEASE_QUARANTINED', 'says the engine');
    };
    const { data, errors } = await current.ask(
      '{ lease(number: 9) { endedAt waiting { code message blockedBy { number } estimatedStart longestNow } } }',
    );
    expect(errors).toBeUndefined();
    expect(data.lease).toEqual({
      endedAt: null,
      waiting: {
        code: 'QUARANTINED',
        message:
          'What is stored of it is not sound, so the scheduler leaves it out. `leasegraph check` says why, and `leasegraph discard` gives it up.',
        blockedBy: [],
        estimatedStart: null,
        longestNow: null,
      },
    });
  });
});

describe('updateLease', () => {
  const update = async (input: object) => {
    const { data, errors } = await current.ask(
      `mutation ($input: UpdateLeaseInput!) { updateLease(input: $input) {
        lease { number } displaced { number } userErrors { code path } } }`,
      { input },
    );
    expect(errors).toBeUndefined();
    return data.updateLease;
  };

  it('passes on what is given, and returns the lease and what it displaced', async () => {
    await api.prisma.lease.createMany({ data: [lease(1), lease(2)] });
    current.leases.result = async () => ({ displaced: [2, 99] });
    expect(await update({ id: id(1), duration: 'PT2H', asFarAsPossible: true })).toEqual({
      lease: { number: 1 },
      displaced: [{ number: 2 }],
      userErrors: [],
    });
    expect(current.leases.submitted).toEqual([
      { kind: 'update', input: { leaseNumber: 1, update: { duration: 2 * hour, asFarAsPossible: true } } },
    ]);
  });

  it.each([
    ['nothing', {}, ['input']],
    ['a duration of 0', { duration: 'PT0S' }, ['input', 'duration']],
  ])('refuses %s', async (_what, fields, path) => {
    expect((await update({ id: id(1), ...fields })).userErrors).toEqual([{ code: 'INVALID_REQUEST', path }]);
    expect(current.leases.submitted).toEqual([]);
  });
});

describe('recoverAction', () => {
  it('passes the decision on, and returns the action', async () => {
    await api.prisma.action.create({
      data: { number: 4, kind: 'START', leaseNumber: 1, at: new Date(now), targets: [], error: 'no answer' },
    });
    const { data } = await current.ask(
      `mutation { recoverAction(input: { id: "${btoa('Action:4')}", recovery: RETRY }) { action { state error } userErrors { code } } }`,
    );
    expect(data.recoverAction).toEqual({ action: { state: 'PENDING', error: 'no answer' }, userErrors: [] });
    expect(current.leases.submitted).toEqual([{ kind: 'recoverAction', input: { actionId: 4, recovery: 'RETRY' } }]);
  });
});

describe('audit records', () => {
  it('say who did what with which outcome', async () => {
    await api.prisma.auditEntry.deleteMany();
    await api.prisma.lease.create({ data: lease(1) });
    current.leases.answer = async () => 1;
    await current.ask(requestLease, { input: good });
    await current.ask(requestLease, { input: { ...good, duration: 'PT0S' } });
    await current.auditWritten();
    await current.ask(cancelLease, { id: id(1) });
    const { data } = await current.ask(
      '{ auditLog(filter: { principals: ["admin"] }) { nodes { principal role mutation subject outcome } } }',
    );
    expect(data.auditLog.nodes).toEqual(
      [
        ['requestLease', id(1), 'OK'],
        ['requestLease', null, 'INVALID_REQUEST'],
        ['cancelLease', id(1), 'OK'],
      ].map(([mutation, subject, outcome]) => ({
        principal: 'admin',
        role: 'ADMIN',
        mutation,
        subject,
        outcome,
      })),
    );
  });

  it('are written also for an id that the database cannot store', async () => {
    await api.prisma.auditEntry.deleteMany();
    for (const bad of ['a\u0000b', 'a\ud800b', `${'a'.repeat(99)}\u{1f600}`]) {
      await current.ask(cancelLease, { id: bad });
    }
    await current.auditWritten();
    const rows = await api.prisma.auditEntry.findMany({ orderBy: { number: 'asc' } });
    expect(rows.map(({ subject, outcome }) => [subject, outcome])).toEqual([
      ['a\ufffdb', 'INVALID_ID'],
      ['a\ufffdb', 'INVALID_ID'],
      [`${'a'.repeat(99)}\ufffd`, 'INVALID_ID'],
    ]);
  });
});
