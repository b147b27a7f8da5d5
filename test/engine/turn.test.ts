import { expect, test } from 'vitest';
import { noReport } from '../../src/engine/hosts/report.ts';
import { Inbox } from '../../src/engine/inbox.ts';
import { defaultLimits } from '../../src/engine/limits.ts';
import { Quarantine } from '../../src/engine/quarantine.ts';
import { applyItems } from '../../src/engine/turn.ts';
import { absentHosts } from '../support/absent-hosts.ts';
import { hours, bestEffort as request } from '../support/engine-harness.ts';
import { Stage } from '../support/stage.ts';
import { bestEffort, reservation } from '../support/story.ts';

const noHosts = {
  tools: {
    hosts: absentHosts,
    quarantine: new Quarantine(),
    recurrences: defaultLimits.recurrences,
  },
  reports: { moveOnStartFailure: false, lateness: 1_000 },
};
const lost = (leaseId: number) => {
  const failures = [{ leaseId, code: 'MACHINE_LOST' as const, message: 'machine 1 is absent', node: 1 }];
  return { type: 'report' as const, report: { ...noReport, failures } };
};

test('a machine that is missed fails a lease that is active, and no lease that is being suspended', () => {
  // Lease 1 gives way to the reservation of lease 2.
  for (const [moment, before, after] of [
    [400, 'ACTIVE', 'FAILED'],
    [499, 'SUSPENDING', 'SUSPENDING'],
  ] as const) {
    const stage = new Stage([bestEffort(0, 4, 1_000), reservation(10, 500, 4, 100)], {
      config: { suspension: 'all', preemption: 'ar-preempts-everything' },
    });
    stage.to(moment);
    expect(stage.state(1)).toBe(before);
    stage.do((scheduler, now) => applyItems(scheduler, now, [lost(1), lost(99)], [], noHosts));
    expect(stage.state(1)).toBe(after);
  }
});

test('the same idempotency key of two principals makes two leases', () => {
  const stage = new Stage([]);
  const inbox = new Inbox(10);
  for (const [principal, key] of [
    ['a', 'key'],
    ['b', 'key'],
    ['a', 'key'],
    // Together they read as the first pair does.
    ['a","k', 'ey'],
  ] as const) {
    inbox.addCommand({ kind: 'request', input: request(hours(1)), principal, idempotencyKey: key }, () => {});
  }
  stage.do((scheduler, now) => {
    const { answers, idempotency } = applyItems(scheduler, now, inbox.take(10), [], noHosts);
    expect(answers.map(({ answer }) => answer)).toEqual(
      [1, 2, 1, 3].map((leaseNumber) => ({ result: { leaseNumber } })),
    );
    expect(idempotency.map(({ principal, key, number }) => [principal, key, number])).toEqual([
      ['a', 'key', 1],
      ['b', 'key', 2],
      ['a","k', 'ey', 3],
    ]);
  });
});
