import { describe, expect, it } from 'vitest';
import { probeNames } from '../../src/config/schema.ts';
import { defaultSchedulerConfig } from '../../src/core/index.ts';
import { createAccounting } from '../../src/simulation/accounting/accounting.ts';
import type { ProbeName } from '../../src/simulation/accounting/probes.ts';
import { Counter } from '../../src/simulation/accounting/recorder.ts';
import { simulate } from '../../src/simulation/run.ts';
import { summarize } from '../../src/simulation/summary.ts';
import type { SimulationConfig } from '../../src/simulation/workload.ts';
import { configOf, workloadOf } from './small-run.ts';

describe('a counter', () => {
  it('records only changes, and only the last one of an instant', () => {
    const counter = new Counter('none');
    counter.set(1000, 0);
    counter.set(1000, 5, 7);
    counter.set(2000, 5, null);
    counter.increment(3000, 1);
    counter.set(3000, 9, 2);
    counter.set(4000, 9, 1);
    expect(counter.data(1000).entries).toEqual([
      [0, null, 5],
      [2, 1, 9],
    ]);
  });

  it('averages its entries', () => {
    const counter = new Counter('normal');
    for (const [at, value] of [
      [0, 0],
      [1000, 3],
      [5000, 6],
    ] as const)
      counter.set(at, value);
    expect(counter.data(0).entries).toEqual([
      [0, null, 0, 0],
      [1, null, 3, 1.5],
      [5, null, 6, 3],
    ]);
  });

  it('averages over time', () => {
    const counter = new Counter('time-weighted');
    for (const [at, value] of [
      [0, 4],
      [1000, 0],
      [4000, 8],
    ] as const)
      counter.set(at, value);
    expect(counter.data(0)).toEqual({
      average: 'time-weighted',
      entries: [
        [0, null, 4, 4],
        [1, null, 0, 4],
        [4, null, 8, 1],
      ],
    });
  });
});

describe('the probes', () => {
  const workload = workloadOf(
    [
      { type: 'BEST_EFFORT', arrival: 0, duration: 100 },
      { type: 'BEST_EFFORT', arrival: 0, duration: 100, knownDuration: 50 },
      { type: 'ADVANCE_RESERVATION', arrival: 10, start: 300, duration: 50 },
      { type: 'ADVANCE_RESERVATION', arrival: 20, start: 310, duration: 50 },
      { type: 'IMMEDIATE', arrival: 30, duration: 10 },
      { type: 'BEST_EFFORT', arrival: 40, duration: 400 },
    ],
    '1 CPU:100 Memory:1024',
  );
  const account = (
    probes: readonly ProbeName[],
    changes: Partial<SimulationConfig> = {},
    cancellations = [{ at: 320_000, leaseId: 6 }],
  ) => {
    const config = configOf(workload, changes);
    const accounting = createAccounting(probes, { run: 'x' });
    const result = simulate({ workload, config, cancellations, observers: accounting.observers });
    return { ...accounting.data(), result };
  };

  it('count accepted and rejected leases', () => {
    const { counters, perRun } = account(['ar', 'immediate']);
    // Lease 4 overlaps lease 3, lease 5 finds no free node: neither is ever accepted.
    expect(perRun).toEqual({
      'Total accepted AR': 1,
      'Total rejected AR': 1,
      'Total accepted Immediate': 0,
      'Total rejected Immediate': 1,
    });
    expect(counters['Accepted AR']?.entries.slice(0, 2)).toEqual([
      [0, null, 0],
      [10, 3, 1],
    ]);
    expect(counters['Rejected AR']?.entries[1]).toEqual([20, 4, 1]);
    expect(counters['Rejected Immediate']?.entries[1]).toEqual([30, 5, 1]);
  });

  it('measure best-effort leases', () => {
    const { counters, perLease, perRun } = account(['best-effort']);
    expect(perRun).toEqual({ 'Total best-effort completed': 2, 'all-best-effort': 150 });
    expect(perLease).toEqual({
      1: { 'Waiting time': 0, Slowdown: 1 },
      2: { 'Waiting time': 100, Slowdown: 1.5 },
    });
    expect(counters['Queue size']?.average).toBe('time-weighted');
    // Lease 6 waits until lease 2, the one future lease that aggressive backfilling allows, has started.
    expect(counters['Queue size']?.entries.map(([time, , value]) => [time, value])).toEqual([
      [0, 0],
      [40, 1],
      [100, 0],
    ]);
  });

  it('measure the utilization of the site', () => {
    const { counters } = account(['cpu-utilization'], {
      scheduler: { ...defaultSchedulerConfig, shutdownTime: 10_000 },
    });
    const entries = counters['CPU utilization']?.entries ?? [];
    expect(entries[0]).toEqual([0, null, 1, 1]);
    // Busy for 50 + 110 + 50 seconds (a lease that ends early has no shutdown; a reservation's is within its time) of
    // 350.
    const [time, , , average] = entries.at(-1) ?? [];
    expect(time).toBe(350);
    expect(average).toBeCloseTo(210 / 350);
  });

  it('see every lease', () => {
    const { perLease, perRun } = account(['lease', 'lease-extras']);
    expect(perRun).toEqual({
      'Total requested leases': 6,
      'Total completed leases': 3,
      'Total rejected leases': 2,
      'Total rejected leases (by user)': 0,
    });
    expect(perLease[3]).toEqual({
      State: 'DONE',
      'Number of nodes': 1,
      'Requested duration': 50,
      'Actual duration': 50,
      Start: 290,
    });
    expect(Object.values(perLease).map(({ State }) => State)).toEqual([
      'DONE',
      'DONE',
      'DONE',
      'REJECTED',
      'REJECTED',
      'CANCELLED',
    ]);
  });

  it('measure disks', () => {
    const images = workloadOf(
      [{ type: 'BEST_EFFORT', arrival: 0, duration: 100, image: { name: 'i', sizeMb: 100 } }],
      '1 CPU:100 Memory:1024',
    );
    const accounting = createAccounting(['disk-usage']);
    simulate({
      workload: images,
      config: configOf(images, { scheduler: { ...defaultSchedulerConfig, preparation: 'imagetransfer' } }),
      observers: accounting.observers,
    });
    const entries = accounting.data().counters['Disk usage']?.entries ?? [];
    // 100 MB at 100 Mbit/s take 8 seconds.
    expect(entries).toEqual([
      [0, null, 0],
      [8, null, 100],
      [108, null, 0],
    ]);
  });

  it('change nothing, and are deterministic', () => {
    const one = account(probeNames);
    const other = account(probeNames);
    expect(one).toEqual(other);
    expect(account([]).result).toEqual(one.result);
    expect(one.attributes).toEqual({ run: 'x' });
  });

  it('agree with the summary', () => {
    const { result } = account([]);
    const site = configOf(workload).site ?? { resourceTypes: [], nodes: [] };
    const summary = summarize(result, workload, site);
    expect(summary).toMatchObject({
      trace: 'small',
      nodes: 1,
      leases: 6,
      outcomes: {
        BEST_EFFORT: { DONE: 2, CANCELLED: 1 },
        ADVANCE_RESERVATION: { DONE: 1, REJECTED: 1 },
        IMMEDIATE: { REJECTED: 1 },
      },
      waitingTime: { count: 2, mean: 50, p50: 0, p90: 100, max: 100 },
      boundedSlowdown: { count: 2, mean: 2, max: 3 },
      makespan: 350,
    });
    expect(summary.utilization).toBeCloseTo(200 / 350);
    // It counts from the first submission.
    const later = result.leases.map((lease) => ({
      ...lease,
      submit: lease.submit + 1000,
      reservations: lease.reservations.map((each) => ({
        ...each,
        start: each.start + 1000,
        end: each.end + 1000,
      })),
    }));
    const { makespan, utilization } = summarize({ ...result, leases: later }, workload, site);
    expect({ makespan, utilization }).toEqual({ makespan: 350, utilization: summary.utilization });
  });
});
