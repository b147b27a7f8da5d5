/** Texts that are longer than what an operation pays for are cut. */
import { expect, it } from 'vitest';
import { describeEachDatabase } from '../support/databases.ts';
import { apiOn, lease, now } from './fixture.ts';

describeEachDatabase('the length of texts', (databases) => {
  it('is never more than what counts towards the cost', async () => {
    const database = await databases.create();
    const { prisma } = await database.open();
    const api = apiOn(prisma);
    const reason = { state: 'FAILED', reasonCode: 'ACTION_FAILED' } as const;
    await prisma.lease.createMany({
      data: [
        lease(1, { ...reason, reasonMessage: 'a'.repeat(1_000) }),
        lease(2, { ...reason, reasonMessage: 'a'.repeat(1_001) }),
        lease(3, { ...reason, reasonMessage: '😀'.repeat(501) }),
        lease(4, { ...reason, reasonMessage: '' }),
      ],
    });
    const action = { leaseNumber: 1, kind: 'START', at: new Date(now) } as const;
    await prisma.action.createMany({
      data: [
        { ...action, number: 1, targets: [], output: 'b'.repeat(4_096), error: 'c'.repeat(5_000) },
        { ...action, number: 2, targets: [] },
      ],
    });
    const { data, errors } = await api.ask(`{
      leases { nodes { stateReason { message } } }
      lease(number: 1) { actions { nodes { output error } } }
    }`);
    expect(errors).toBeUndefined();
    expect(data.leases.nodes.map((each: { stateReason: { message: string } }) => each.stateReason.message)).toEqual([
      'a'.repeat(1_000),
      `${'a'.repeat(999)}…`,
      `${'😀'.repeat(499)}…`,
      '',
    ]);
    expect(data.lease.actions.nodes).toEqual([
      { output: 'b'.repeat(4_096), error: `${'c'.repeat(4_095)}…` },
      { output: null, error: null },
    ]);
  });
});
