import { describe, expect, it } from 'vitest';
import { defaultSchedulerConfig, type SiteSpec } from '../../src/core/index.ts';
import { writeJobsCsv } from '../../src/simulation/formats/jobs-csv.ts';
import { textSource } from '../../src/simulation/formats/source.ts';
import { readSwf } from '../../src/simulation/formats/swf.ts';
import { writeSwf } from '../../src/simulation/formats/swf-writer.ts';
import { measureLeases } from '../../src/simulation/lease-measures.ts';
import { simulate } from '../../src/simulation/run.ts';
import { summarize } from '../../src/simulation/summary.ts';
import { configOf, workloadOf } from './small-run.ts';

/** A lease of 1000 s on both nodes is pushed aside at 300 s by a reservation of 100 s on one of them. */
const workload = workloadOf(
  [
    { type: 'BEST_EFFORT', arrival: 0, duration: 1000, machines: Array(2).fill({ CPU: 100, Memory: 64 }) },
    { type: 'ADVANCE_RESERVATION', arrival: 10, start: 300, duration: 100, user: 'ann' },
    { type: 'IMMEDIATE', arrival: 20, duration: 5, user: '7' },
  ],
  '2 CPU:100 Memory:1024',
);
const run = (suspension: 'none' | 'all') => {
  const scheduler = { ...defaultSchedulerConfig, preemption: 'ar-preempts-everything', suspension };
  const config = configOf(workload, { scheduler });
  const result = simulate({ workload, config });
  return {
    result,
    site: config.site as SiteSpec,
    summary: summarize(result, workload, config.site as SiteSpec),
  };
};

describe('the measures of a run', () => {
  it('include the time lost by a requeue', () => {
    const { result, summary } = run('none');
    // It is requeued when the reservation is planned, at 10 s, and starts anew at 400 s.
    expect(measureLeases(result).get(1)).toEqual({
      waiting: 400,
      turnaround: 1400,
      boundedSlowdown: 1.4,
      suspended: 0,
      requeues: 1,
      lostVmTime: 20,
    });
    expect(summary).toMatchObject({ requeues: 1, lostVmTime: 20, makespan: 1400 });
    expect(summary.turnaround?.mean).toBe(1400);
    // 2 × 10 s lost; 2 × 1000 s, 100 s and the 5 s of the immediate lease good; of 2 × 1400 s.
    expect(summary.utilization).toBeCloseTo(2125 / 2800, 12);
    expect(summary.goodput).toBeCloseTo(2105 / 2800, 12);
  });

  it('include the time in suspension', () => {
    const { result, summary } = run('all');
    // Saving 64 MB takes 2 s, from 298 s; restoring them 2 s, until 402 s.
    expect(measureLeases(result).get(1)).toEqual({
      waiting: 0,
      turnaround: 1104,
      boundedSlowdown: 1.104,
      suspended: 104,
      requeues: 0,
      lostVmTime: 0,
    });
    expect(summary).toMatchObject({ requeues: 0, lostVmTime: 0 });
    expect(summary.suspendedTime?.max).toBe(104);
    expect(summary.goodput).toBe(summary.utilization);
  });
});

describe('files for other tools', () => {
  it('contain one line per lease in the format of Batsim', () => {
    const [titles, ...lines] = [...writeJobsCsv(run('all').result, 'a,b')].join('').trim().split('\n');
    expect(titles).toBe(
      'job_id,workload_name,profile,submission_time,requested_number_of_resources,requested_time,success,final_state,starting_time,execution_time,finish_time,waiting_time,turnaround_time,stretch,allocated_resources,consumed_energy,metadata',
    );
    expect(lines).toEqual([
      '1,"a,b",best_effort,0,2,1000,1,COMPLETED_SUCCESSFULLY,0,1000,1104,0,1104,1.104,0-1,,',
      '2,"a,b",advance_reservation,10,1,100,1,COMPLETED_SUCCESSFULLY,300,100,400,290,390,3.9,0,,',
      '3,"a,b",immediate,20,1,5,0,REJECTED,,,,,,,,,',
    ]);
  });

  it('include SWF that can be read back', () => {
    const { result, site } = run('all');
    const text = [...writeSwf(result, workload, site)].join('');
    expect(text.split('\n').filter((line) => line !== '' && !line.startsWith(';'))).toEqual([
      '1 0 0 1000 2 -1 -1 2 1000 65536 1 -1 -1 -1 1 -1 -1 -1',
      '2 10 290 100 1 -1 -1 1 100 524288 1 8 -1 -1 2 -1 -1 -1',
      '3 20 -1 -1 -1 -1 -1 1 5 524288 5 7 -1 -1 3 -1 -1 -1',
    ]);
    const read = readSwf(textSource('out.swf', text));
    expect(read.workload.site?.nodes).toHaveLength(2);
    expect(
      read.workload.leases.map(({ arrival, duration, machines, user }) => [arrival, duration, machines.length, user]),
    ).toEqual([
      [0, 1_000_000, 2, null],
      [10_000, 100_000, 1, '8'],
    ]);
    expect(read.warnings).toEqual(['out.swf: 1 of 3 jobs were left out: 1 with a negative run time']);
  });
});
