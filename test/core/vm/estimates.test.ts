import { describe, expect, it } from 'vitest';
import { Estimates } from '../../../src/core/vm/estimates.ts';
import { type Config, leaseWith } from '../../support/lease.ts';
import { configOf, image, machines } from '../../support/story.ts';

/** Two machines, of 1000 and 500 MB: 32 and 16 s at 32 MB/s. */
const lease = () =>
  leaseWith(
    [
      { CPU: 50, Memory: 1000 },
      { CPU: 50, Memory: 500 },
    ],
    image('A', 400),
  );
const estimates = (config: Config = {}) => new Estimates(configOf({ suspension: 'all', ...config }));

describe('estimated operation times', () => {
  it('are summed per machine, each rounded up to whole seconds, with one command (R5)', () => {
    expect(estimates().suspend(lease())).toBe(32_000 + 16_000);
    expect(estimates({ enactmentOverhead: 2000 }).suspend(lease())).toBe(34_000 + 18_000);
    expect(estimates({ resumeRate: 128 }).resume(lease())).toBe(8000 + 4000);
    expect(estimates({ suspendRate: 10.5 }).suspend(lease())).toBe(96_000 + 48_000);
  });

  it('are the configured time per machine, if one is set', () => {
    const told = estimates({ overrideSuspendTime: 3000, overrideResumeTime: 0, enactmentOverhead: 1000 });
    expect(told.suspend(lease())).toBe(8000);
    expect(told.resume(lease())).toBe(2000);
  });

  it('of a shutdown are the shutdown time once, and one command per machine', () => {
    expect(estimates({ shutdownTime: 10_000, enactmentOverhead: 2000 }).shutdown(lease())).toBe(14_000);
  });

  it('of a migration are the memory and image of every machine at 100 Mbit/s (R42)', () => {
    const moving = estimates({ migration: 'yes' });
    const resuming = lease();
    for (const machine of [1, 2]) resuming.diskAt.set(machine, 7);
    expect(moving.memoryMigration(resuming)).toBe(80_000 + 40_000);
    expect(moving.diskMigration(resuming)).toBe(2 * 32_000);
  });

  it('of a migration are 0 if it is off, takes no time, or has no image to move', () => {
    for (const migration of ['no', 'yes-notransfer'] as const) {
      const [still, resuming] = [estimates({ migration }), lease()];
      resuming.diskAt.set(1, 7);
      expect([still.memoryMigration(resuming), still.diskMigration(resuming)]).toEqual([0, 0]);
    }
    expect(estimates({ migration: 'yes' }).diskMigration(lease())).toBe(0);
    expect(estimates({ migration: 'yes' }).diskMigration(leaseWith(machines(2)))).toBe(0);
  });
});

describe('the minimum useful running time', () => {
  it('is the time to suspend, to resume if needed, and the factor times as much again (R51)', () => {
    expect(estimates().threshold(lease(), false)).toBe(96_000);
    expect(estimates().threshold(lease(), true)).toBe(192_000);
    expect(estimates({ schedulingThresholdFactor: 0 }).threshold(lease(), false)).toBe(48_000);
    expect(estimates({ schedulingThresholdFactor: 2 }).threshold(lease(), false)).toBe(144_000);
  });

  it('is the configured value, but never less than the operations take', () => {
    expect(estimates({ forceSchedulingThreshold: 600_000 }).threshold(lease(), false)).toBe(600_000);
    expect(estimates({ forceSchedulingThreshold: 0 }).threshold(lease(), true)).toBe(96_000);
  });
});

describe('support for suspension', () => {
  it.each([
    ['none', false, false],
    ['serial-only', true, false],
    ['all', true, true],
  ] as const)('%s: of one machine %s, of several %s', (suspension, one, several) => {
    const told = estimates({ suspension });
    expect(told.canSuspend(leaseWith(machines(1)))).toBe(one);
    expect(told.canSuspend(leaseWith(machines(2)))).toBe(several);
  });
});
