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
    const ask = async (by: string) => {
      const { data, errors } = await api.ask(`{
        accounting(from: "${new Date(now - 24 * hour).toISOString()}", to: "${new Date(now + 24 * hour).toISOString()}", by: ${by}) {
          project { name } owner { name } lease { number } leases waiting preemptions
          requested { type hours } used { type hours } lost { type hours }
        }
      }`);
      expect(errors).toBeUndefined();
      return data.accounting;
    };
    const genomics = {
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
    expect(await ask('PROJECT')).toEqual([genomics, others]);
    expect(await ask('OWNER')).toEqual([
      { ...genomics, project: null, owner: { name: 'ada' } },
      { ...others, owner: { name: 'bob' } },
    ]);
    const leases = await ask('LEASE');
    expect(
      leases.map((row: { lease: { number: number }; leases: number }) => [row.lease.number, row.leases]),
    ).toEqual([
      [1, 1],
      [2, 1],
      [3, 1],
      [4, 0],
    ]);
  });
});
