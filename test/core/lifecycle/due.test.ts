import { describe, expect, it } from 'vitest';
import { SECOND } from '../../../src/core/index.ts';
import { Stage } from '../../support/stage.ts';
import { bestEffort, reservation, siteOf, WHOLE } from '../../support/story.ts';

const oneNode = siteOf([1, WHOLE]);

/** What happened at one instant: `1 DONE` for lease 1. */
const eventsAt = (stage: Stage, at: number): string[] =>
  stage.events.filter((event) => event.at === at * SECOND).map(({ leaseId, to }) => `${leaseId} ${to}`);

const actionsAt = (stage: Stage, at: number): string[] =>
  stage.actions.filter((action) => action.at === at * SECOND).map(({ leaseId, kind }) => `${leaseId} ${kind}`);

describe('at one instant, operations that free a node precede those that use it', () => {
  it('when shutting down takes no time', () => {
    const stage = new Stage([reservation(0, 10, 1, 3), reservation(0, 13, 1, 3)], { site: oneNode }).to(13);
    expect(eventsAt(stage, 13)).toEqual(['1 DONE', '2 ACTIVE']);
    expect(actionsAt(stage, 13)).toEqual(['1 SHUTDOWN', '2 START']);
  });

  it('even if the later lease was planned first', () => {
    const stage = new Stage([reservation(0, 13, 1, 3), reservation(1, 10, 1, 3)], { site: oneNode }).to(13);
    expect(eventsAt(stage, 13)).toEqual(['2 DONE', '1 ACTIVE']);
    expect(actionsAt(stage, 13)).toEqual(['2 SHUTDOWN', '1 START']);
  });

  it('when shutting down takes time', () => {
    const stage = new Stage([reservation(0, 10, 1, 3), reservation(0, 13, 1, 3)], {
      site: oneNode,
      config: { shutdownTime: SECOND },
    }).to(13);
    expect(eventsAt(stage, 13)).toEqual(['1 DONE', '2 ACTIVE']);
    expect(actionsAt(stage, 12)).toEqual(['1 SHUTDOWN']);
    expect(actionsAt(stage, 13)).toEqual(['2 START']);
  });

  it('when saving and restoring machines takes no time', () => {
    const config = {
      preemption: 'ar-preempts-everything',
      suspension: 'all',
      overrideSuspendTime: 0,
      overrideResumeTime: 0,
    } as const;
    const cast = [bestEffort(0, 1, 100), reservation(1, 10, 1, 10)];
    const stage = new Stage(cast, { site: oneNode, config }).to(20);
    expect(eventsAt(stage, 10)).toEqual([
      '1 SUSPENDING',
      '1 SUSPENDED_PENDING',
      '1 SUSPENDED_QUEUED',
      '2 ACTIVE',
      '1 SUSPENDED_SCHEDULED',
    ]);
    expect(actionsAt(stage, 10)).toEqual(['1 SUSPEND', '2 START']);
    expect(eventsAt(stage, 20)).toEqual(['2 DONE', '1 RESUMING', '1 RESUMED_READY', '1 ACTIVE']);
    expect(actionsAt(stage, 20)).toEqual(['2 SHUTDOWN', '1 RESUME']);
  });
});

describe('a reservation starts when all earlier ones in its chain have ended (R50)', () => {
  it('even if a migration takes no time: the memory is restored on its new node', () => {
    const config = {
      preemption: 'ar-preempts-everything',
      suspension: 'all',
      migration: 'yes-notransfer',
      backfilling: 'off',
    } as const;
    // Lease 3 is saved at 1800 for lease 2, which keeps its nodes; those of lease 1 are free from 3690 on.
    const cast = [
      reservation(0, 90, 2, 3600, { preemptible: false }),
      reservation(0, 1800, 2, 3600, { preemptible: false }),
      bestEffort(0, 2, 3600),
    ];
    const stage = new Stage(cast, { config });
    const resuming = () => stage.events.find(({ leaseId, to }) => leaseId === 3 && to === 'RESUMING');
    for (let moment = 0; !resuming() && moment < 10_000; moment += 10) stage.to(moment);
    const moved = [...stage.reservations.values()].find(({ kind }) => kind === 'MEMORY_MIGRATION');
    expect(moved).toMatchObject({ leaseId: 3, state: 'DONE' });
    expect(moved?.start).toBe(moved?.end);
    expect(stage.state(3)).toBe('RESUMING');
    expect(stage.plan(3)).toMatch(/^RESUMPTION\[3690,/);
    expect(moved?.start).toBe(3690 * SECOND);
    expect(stage.leases.get(3)?.memoryAt).toEqual({});
  });
});
