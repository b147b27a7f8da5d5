import { describe, expect, it } from 'vitest';
import { defaultSchedulerConfig, type SchedulerConfig } from '../../../src/core/index.ts';
import {
  bestEffort,
  image,
  immediate,
  reservation,
  siteOf,
  tell as tellStory,
  WHOLE,
  withDeadline,
} from '../../support/story.ts';

const A = { image: image('A') };
const B = { image: image('B') };

/** Every transfer takes 82 s. */
const tell = (
  leases: Parameters<typeof tellStory>[0],
  transfer: Partial<SchedulerConfig['imageTransfer']> = {},
  setting: Parameters<typeof tellStory>[1] = {},
) =>
  tellStory(leases, {
    ...setting,
    config: {
      preparation: 'imagetransfer',
      imageTransfer: { ...defaultSchedulerConfig.imageTransfer, ...transfer },
      ...setting.config,
    },
  });

describe('transfers before a lease starts', () => {
  it('make the lease PREPARING, then READY', () => {
    const story = tell([bestEffort(5, 1, 600, A)]);
    expect(story.path(1)).toBe('5 PENDING, 5 QUEUED, 5 SCHEDULED, 5 PREPARING, 87 READY, 87 ACTIVE, 687 DONE');
    expect(story.of(1, 'IMAGE_TRANSFER')).toEqual([
      { kind: 'IMAGE_TRANSFER', start: 5, end: 87, targets: { 1: [[1, 1]] } },
    ]);
  });

  it('are skipped for leases without an image', () => {
    expect(tell([bestEffort(0, 1, 600)]).timeline(1)).toBe('VM[0,600)');
  });

  it('share one channel', () => {
    const story = tell([
      bestEffort(0, 1, 600, A),
      bestEffort(0, 1, 600, B),
      immediate(0, 1, 600, { image: image('C') }),
    ]);
    // Immediate leases come first; one may wait for its image (R16).
    expect(story.timeline(3)).toBe('T[0,82) VM[82,682)');
    expect(story.timeline(1)).toBe('T[82,164) VM[164,764)');
    expect(story.timeline(2)).toBe('T[164,246) VM[246,846)');
  });

  it('take the configured time, if one is set', () => {
    expect(tell([bestEffort(0, 1, 600, A)], { forceTransferTime: 30_000 }).timeline(1)).toBe('T[0,30) VM[30,630)');
    expect(tell([bestEffort(0, 1, 600, A)], { forceTransferTime: 0 }).timeline(1)).toBe('T[0,0) VM[0,600)');
  });

  it('by unicast reserve the channel for all machines, and use it for those that need the image', () => {
    const story = tell([bestEffort(0, 3, 600, A)], { mechanism: 'unicast' });
    expect(story.timeline(1)).toBe('T[0,246) VM[246,846)');
  });
});

describe('sharing the transfer of another lease', () => {
  it('is disabled for unicast and when avoid-redundant-transfers is off', () => {
    const leases = [reservation(0, 300, 1, 600, A), bestEffort(0, 1, 600, A)];
    expect(tell(leases).timeline(2)).toBe('T[0,82) VM[82,682)');
    const late = [bestEffort(0, 1, 600, B), bestEffort(0, 1, 600, A), bestEffort(0, 1, 600, A)];
    expect(tell(late).timeline(3)).toBe('VM[164,764)');
    expect(tell(late, { avoidRedundantTransfers: false }).timeline(3)).toBe('T[164,246) VM[246,846)');
    expect(tell(late, { mechanism: 'unicast' }).timeline(3)).toBe('T[164,246) VM[246,846)');
  });

  it('is not possible once the transfer has started', () => {
    const story = tell([bestEffort(0, 1, 600, A), bestEffort(10, 1, 600, A)]);
    expect(story.timeline(2)).toBe('T[82,164) VM[164,764)');
  });

  it('continues when the lease that started the transfer is cancelled', () => {
    const leases = [bestEffort(0, 1, 600, B), bestEffort(0, 1, 600, A), bestEffort(0, 1, 600, A)];
    const story = tell(leases, {}, { cancel: [[50, 2]] });
    expect(story.lease(2).state).toBe('CANCELLED');
    expect(story.of(2, 'IMAGE_TRANSFER')).toEqual([
      { kind: 'IMAGE_TRANSFER', start: 82, end: 164, targets: { 3: [[3, 1]] } },
    ]);
    expect(story.path(3)).toContain('164 READY, 164 ACTIVE');
  });

  it('continues when the lease that started the transfer is preempted by the one that shares it', () => {
    const leases = [bestEffort(0, 1, 600, A), bestEffort(0, 1, 600, B), withDeadline(10, undefined, 764, 1, 600, B)];
    const story = tell(leases, {}, { site: siteOf([2, WHOLE]) });
    expect(story.of(2, 'IMAGE_TRANSFER')[0]).toEqual({
      kind: 'IMAGE_TRANSFER',
      start: 82,
      end: 164,
      targets: { 1: [[2, 1]], 2: [[3, 1]] },
    });
    expect(story.timeline(3)).toBe('VM[164,764)');
    expect(story.timeline(2)).toBe('T[82,164) VM[682,1282)');
  });

  it('stops a running transfer when the last lease that needs it ends', () => {
    const story = tell([bestEffort(0, 1, 600, A)], {}, { cancel: [[40, 1]] });
    expect(story.timeline(1)).toBe('T[0,40)');
    // The channel is free again at once.
    const next = tell([bestEffort(0, 1, 600, A), bestEffort(40, 1, 600, B)], {}, { cancel: [[40, 1]] });
    expect(next.timeline(2)).toBe('T[40,122) VM[122,722)');
  });
});

describe('an advance reservation', () => {
  it('receives its image as late as possible', () => {
    expect(tell([reservation(0, 1000, 1, 600, A)]).timeline(1)).toBe('T[918,1000) VM[1000,1600)');
  });

  it('is rejected if its image cannot arrive in time (R10)', () => {
    const story = tell([reservation(0, 81, 1, 600, A), reservation(0, 82, 1, 600, B)]);
    expect(story.lease(1).state).toBe('REJECTED');
    expect(story.timeline(2)).toBe('T[0,82) VM[82,682)');
  });

  it('that is rejected preempts no lease', () => {
    const story = tell(
      [bestEffort(0, 4, 600), reservation(10, 50, 4, 600, A)],
      {},
      {
        config: { preemption: 'ar-preempts-everything', suspension: 'all' },
      },
    );
    expect(story.lease(2)).toMatchObject({
      state: 'REJECTED',
      reason: expect.stringContaining('disk image'),
    });
    expect(story.timeline(1)).toBe('VM[0,600)');
  });

  it('reuses an image only on nodes that keep it until the lease starts', () => {
    const cached = { reuse: 'image-caches' } as const;
    const wants = (start: number) =>
      tell([bestEffort(0, 1, 600, A), reservation(700, start, 4, 600, A)], cached).timeline(2);
    // The first lease ends at 682. Its node still holds the image, but need not keep it until 900.
    expect(wants(900)).toBe('T[818,900) VM[900,1500)');
    expect(tell([bestEffort(0, 4, 600, A), reservation(100, 682, 4, 600, A)], cached).timeline(2)).toBe('VM[682,1282)');
  });
});
