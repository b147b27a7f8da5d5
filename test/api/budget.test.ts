import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Budget, mapInSlices } from '../../src/api/read/budget.ts';
import { listen } from '../../src/server/http/listen.ts';
import { cli } from '../cli/terminal.ts';
import { apiOnNewDatabase, createNodes, createReservations, hour, lease, now, token } from './fixture.ts';

/** Ten leases with the maximum number of machines. */
const [leases, machines] = [10, 10_000];

describe('lists without pages', () => {
  let api: Awaited<ReturnType<typeof apiOnNewDatabase>>;

  beforeAll(async () => {
    api = await apiOnNewDatabase();
    const { prisma } = api;
    await createNodes(prisma, 2);
    await prisma.lease.createMany({
      data: Array.from({ length: leases }, (_, index) => lease(index + 1, { machineCount: machines })),
    });
    await prisma.$executeRaw`
      INSERT INTO lease_machines (lease_number, index, amounts, node_number)
      SELECT l, i, '{"CPU": 1}', 1 FROM generate_series(1, ${leases}::int) l, generate_series(1, ${machines}::int) i`;
    await createReservations(
      prisma,
      Array.from({ length: leases }, (_, index) => ({
        number: index + 1,
        lease: index + 1,
        start: now,
        end: now + hour,
        amounts: { 1: { CPU: 1 } },
      })),
    );
    await prisma.$executeRaw`
      UPDATE reservations SET plan = jsonb_set(plan, '{machines}',
        (SELECT jsonb_object_agg(i::text, 1) FROM generate_series(1, ${machines}::int) i))`;
  });
  afterAll(() => api[Symbol.asyncDispose]());

  it.each([
    ['machines of a page', `{ leases(first: 6) { nodes { machines { index } } } }`, 1],
    [
      'machines, page by page',
      `{ ${[1, 2, 3, 4, 5, 6].map((number) => `l${number}: lease(number: ${number}) { machines { index } }`).join(' ')} }`,
      1,
    ],
    ['targets of reservations', '{ reservations(first: 6) { nodes { targets { machine } } } }', 1],
  ])('are refused when the response would be too large: %s', async (_what, query, maxStatements) => {
    const { answer, statements } = await api.count(query);
    expect(answer.errors?.[0]).toMatchObject({ extensions: { code: 'OPERATION_TOO_LARGE' } });
    expect(statements.length).toBeLessThanOrEqual(maxStatements);
  });

  it('are returned up to the limit', async () => {
    const { data } = await api.ask('{ leases(first: 5) { nodes { machines { index } } } }');
    expect(data.leases.nodes.map(({ machines: all }: { machines: unknown[] }) => all.length)).toEqual(
      Array(5).fill(machines),
    );
    const { errors } = await api.ask('{ reservations(first: 5) { nodes { targets { machine } } } }');
    expect(errors).toBeUndefined();
  });

  it('are read in smaller pages by the command line', async () => {
    const listening = await listen('127.0.0.1', 0);
    listening.serve(api.app);
    const { status, out, err } = await cli('leases', '--server', listening.url, '--token', token);
    expect([status, err]).toEqual([0, '']);
    expect(out.match(/10000 CPU:1/g)).toHaveLength(leases);
    await listening.close(1_000);
  });
});

describe('large lists', () => {
  it('are read one after the other over all responses, also after a failure; small lists are read at once', async () => {
    const steps: string[] = [];
    const read = (name: string, members: number, fails = false) =>
      new Budget().read(members, async () => {
        steps.push(name);
        if (fails) throw new Error(name);
      });
    const first = read('first', 10_000, true);
    const second = read('second', 10_000);
    await read('small', 10);
    await expect(first).rejects.toThrow('first');
    setImmediate(() => steps.push('others'));
    await second;
    expect(steps).toEqual(['small', 'first', 'others', 'second']);
  });
});

describe('a long loop', () => {
  it('ends when its operation has, and not only after its last step', async () => {
    const operation = new AbortController();
    let steps = 0;
    const mapped = mapInSlices(
      Array.from({ length: 1_000_000 }),
      () => {
        steps += 1;
        if (steps === 2_500) operation.abort(new Error('the time limit'));
      },
      operation.signal,
    );
    await expect(mapped).rejects.toThrow('the time limit');
    expect(steps).toBeLessThan(5_000);
  });
});
