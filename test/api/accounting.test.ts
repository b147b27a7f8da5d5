import { expect, it } from 'vitest';
import { describeEachDatabase } from '../support/databases.ts';
import { apiOn, createNodes, createReservations, hour, lease, now } from './fixture.ts';

describeEachDatabase('accounting', (databases) => {
  it('counts requests, use, waiting and losses per group', async () => {
    const database = await databases.create();
    const { prisma } = await database.open();
    const api = apiOn(prisma);
    await createNodes(prisma, 2);
    await prisma.project.create({ data: { name: 'genomics' } });
    const submittedAt = new Date(now - 10 * hour);
    await prisma.lease.createMany({
      data: [
        lease(1, {
          submittedAt,
          actualStart: new Date(now - 8 * hour),
          owner: 'ada',
          projectNumber: 1,
          lostDuration: hour / 2,
        }),
        lease(2, { submittedAt, state: 'QUEUED', owner: 'ada', projectNumber: 1 }),
        lease(3, { submittedAt, endedAt: submittedAt, state: 'REJECTED', owner: 'bob' }),
        // Requested before the interval, and running within it.
        lease(4, { submittedAt: new Date(now - 90 * hour), owner: 'bob' }),
      ],
    });
    await prisma.leaseMachine.createMany({
      data: [
        { leaseNumber: 1, index: 1, amounts: { CPU: [100, 100], Memory: 1024 } },
        { leaseNumber: 1, index: 2, amounts: { CPU: 100, Memory: 1024 } },
        { leaseNumber: 2, index: 1, amounts: { CPU: 50 } },
      ],
    });
    await createReservations(prisma, [
      {
        number: 1,
        lease: 1,
        start: now - 8 * hour,
        end: now - 7 * hour,
        amounts: { 1: { CPU: [100, 100] }, 2: { CPU: 100 } },
      },
      // Half of it after now.
      {
        number: 2,
        lease: 4,
        start: now - hour,
        end: now + hour,
        state: 'ACTIVE',
        amounts: { 1: { CPU: 40 } },
      },
      {
        number: 3,
        lease: 4,
        start: now + hour,
        end: now + 2 * hour,
        state: 'SCHEDULED',
        amounts: { 1: { CPU: 40 } },
      },
    ]);
    await prisma.leaseEvent.create({
      data: {
        sequence: 1,
        at: new Date(now),
        leaseNumber: 1,
        from: 'ACTIVE',
        to: 'QUEUED',
        reasonCode: 'PREEMPTED',
      },
    });
    const iso = (instant: number) => new Date(instant).toISOString();
    const [from, to] = [now - 24 * hour, now + 24 * hour];
    const answer = (by: string, step: string | null, [start, end] = [from, to]) =>
      api.ask(`{
        accounting(from: "${iso(start)}", to: "${iso(end)}", by: ${by}, step: ${JSON.stringify(step)}) {
          start end project { name } owner { name } lease { number } leases waiting preemptions
          requested { type hours } used { type hours } lost { type hours }
        }
      }`);
    const ask = async (...question: Parameters<typeof answer>) => {
      const { data, errors } = await answer(...question);
      expect(errors).toBeUndefined();
      return data.accounting;
    };
    const whole = { start: iso(from), end: iso(to) };
    const genomics = {
      ...whole,
      project: { name: 'genomics' },
      owner: null,
      lease: null,
      leases: 2,
      waiting: 'PT12H',
      preemptions: 1,
      requested: [
        { type: 'CPU', hours: 350 },
        { type: 'Memory', hours: 2048 },
      ],
      used: [{ type: 'CPU', hours: 300 }],
      lost: [
        { type: 'CPU', hours: 150 },
        { type: 'Memory', hours: 1024 },
      ],
    };
    const others = {
      ...whole,
      project: null,
      owner: null,
      lease: null,
      leases: 1,
      waiting: 'PT0S',
      preemptions: 0,
      requested: [],
      used: [{ type: 'CPU', hours: 40 }],
      lost: [],
    };
    expect(await ask('PROJECT', null)).toEqual([genomics, others]);
    expect(await ask('OWNER', null)).toEqual([
      { ...genomics, project: null, owner: { name: 'ada' } },
      { ...others, owner: { name: 'bob' } },
    ]);
    const leases = await ask('LEASE', null);
    expect(leases.map((row: { lease: { number: number }; leases: number }) => [row.lease.number, row.leases])).toEqual([
      [1, 1],
      [2, 1],
      [3, 1],
      [4, 0],
    ]);

    // Per period: the boundary at half past is in the middle of the run of lease 1, and the last period is empty.
    const boundary = now - 7.5 * hour;
    const first = { start: iso(from), end: iso(boundary) };
    const second = { start: iso(boundary), end: iso(boundary + 16.5 * hour) };
    const nothing = { leases: 0, waiting: 'PT0S', preemptions: 0, requested: [], lost: [] };
    expect(await ask('PROJECT', 'PT16H30M')).toEqual([
      { ...genomics, ...first, used: [{ type: 'CPU', hours: 150 }] },
      { ...others, ...first, used: [] },
      { ...genomics, ...second, ...nothing, used: [{ type: 'CPU', hours: 150 }] },
      { ...others, ...second, ...nothing, used: [{ type: 'CPU', hours: 40 }] },
    ]);
    expect(await ask('PROJECT', 'P3D')).toEqual([genomics, others]);
    // However it is divided, the parts add up to the whole.
    for (const step of ['PT7M', 'PT1H', 'PT13H0.001S']) {
      const sums = new Map<string, number>();
      for (const { project, used } of await ask('PROJECT', step)) {
        const name = project?.name ?? 'none';
        sums.set(name, (sums.get(name) ?? 0) + (used[0]?.hours ?? 0));
      }
      expect(sums.get('genomics')).toBeCloseTo(300, 6);
      expect(sums.get('none')).toBeCloseTo(40, 6);
    }
    // Nothing has run yet in the future.
    expect(await ask('PROJECT', 'PT1H', [now + 30 * 60_000, to])).toEqual([]);

    for (const [step, message] of [
      ['PT0S', '`step` must be longer than 0.'],
      ['PT1M', 'The result would have 2880 periods; the maximum is 1000. Use a longer step or a shorter interval.'],
    ] as const) {
      const { errors } = await answer('PROJECT', step);
      expect(errors).toMatchObject([{ message, extensions: { code: 'BAD_USER_INPUT' } }]);
    }
  });
});
