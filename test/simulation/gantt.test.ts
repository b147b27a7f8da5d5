import { SaxesParser } from 'saxes';
import { describe, expect, it } from 'vitest';
import { defaultSchedulerConfig, type SiteSpec } from '../../src/core/index.ts';
import { ticks } from '../../src/simulation/gantt/axis.ts';
import { layOut, mergeRows } from '../../src/simulation/gantt/layout.ts';
import { queueLengthOver, utilizationOver } from '../../src/simulation/gantt/panels.ts';
import { drawGantt } from '../../src/simulation/gantt/svg.ts';
import { simulate } from '../../src/simulation/run.ts';
import type { Workload } from '../../src/simulation/workload.ts';
import { configOf, workloadOf } from './small-run.ts';

const preempting = {
  ...defaultSchedulerConfig,
  preemption: 'ar-preempts-everything',
  suspension: 'all',
  migration: 'yes',
  preparation: 'imagetransfer',
} as const;

function run(workload: Workload, scheduler = defaultSchedulerConfig) {
  const config = configOf(workload, { scheduler });
  return { workload, site: config.site as SiteSpec, result: simulate({ workload, config }) };
}

/** Preempted on node 1, it moves to the first node that is free. */
const moving = () =>
  run(
    workloadOf(
      [
        { type: 'BEST_EFFORT', arrival: 0, duration: 600, image: { name: 'a <b>', sizeMb: 100 } },
        { type: 'ADVANCE_RESERVATION', arrival: 60, start: 300, duration: 3600 },
        { type: 'IMMEDIATE', arrival: 0, duration: 400 },
      ],
      '2 CPU:100 Memory:1024',
    ),
    preempting,
  );

describe('a layout', () => {
  it('stacks machines that share a node', () => {
    const half = [{ CPU: 50, Memory: 100 }];
    const { result, workload, site } = run(
      workloadOf(
        [
          { type: 'BEST_EFFORT', arrival: 0, duration: 100, machines: half },
          { type: 'BEST_EFFORT', arrival: 0, duration: 200, machines: half },
          { type: 'BEST_EFFORT', arrival: 0, duration: 50, machines: half },
        ],
        '1 CPU:100 Memory:1024',
      ),
    );
    const { bars } = layOut(result, workload, site);
    expect(bars.map(({ lease, start, end, top, height }) => [lease, start, end, top, height])).toEqual([
      [1, 0, 100, 0, 0.5],
      [2, 0, 200, 0.5, 0.5],
      [3, 100, 150, 0, 0.5],
    ]);
  });

  it('joins adjacent nodes that one lease fills', () => {
    const machines = Array(3).fill({ CPU: 100, Memory: 100 });
    const { result, workload, site } = run(
      workloadOf([{ type: 'BEST_EFFORT', arrival: 0, duration: 100, machines }], '4 CPU:100 Memory:1024'),
    );
    expect(mergeRows(layOut(result, workload, site).bars)).toMatchObject([{ node: 1, rows: 3, start: 0, end: 100 }]);
  });

  it('shows migrations on both nodes', () => {
    const { result, workload, site } = moving();
    const { bars, moves } = layOut(result, workload, site);
    expect(new Set(bars.map(({ kind }) => kind))).toEqual(new Set(['VM', 'SUSPENSION', 'RESUMPTION']));
    expect(moves.map(({ lease, kind, nodes }) => [lease, kind, nodes])).toEqual([
      [1, 'IMAGE_TRANSFER', [1]],
      [1, 'DISK_MIGRATION', [1, 2]],
      [1, 'MEMORY_MIGRATION', [1, 2]],
    ]);
  });
});

describe('a chart', () => {
  const draw = ({ result, workload, site }: ReturnType<typeof run>) =>
    [...drawGantt(result, workload, site, preempting)].join('');

  it('is well-formed and distinguishes all kinds of reservations', () => {
    const svg = draw(moving());
    const parser = new SaxesParser();
    parser.on('error', (error) => {
      throw error;
    });
    parser.write(svg).close();
    for (const pattern of ['suspension', 'resumption', 'memory', 'disk', 'image']) {
      expect(svg).toContain(`<pattern id="${pattern}"`);
      expect(svg).toContain(`fill="url(#${pattern})"`);
    }
    for (const text of [
      '>images<',
      '>node<',
      '>advance reservation<',
      '>lease 1<',
      '>suspending<',
      '>moving memory<',
    ]) {
      expect(svg).toContain(text);
    }
    expect(svg).toContain('lease 2 (advance reservation): running, node 1, 300–3900 s');
    expect(svg).not.toContain('NaN');
  });

  it('names the policies, and labels leases that share a node', () => {
    const quarter = [{ CPU: 25, Memory: 100 }];
    const shared = run(
      workloadOf(
        [1, 2, 3, 4].map(() => ({ type: 'BEST_EFFORT', arrival: 0, duration: 100, machines: quarter })),
        '1 CPU:100 Memory:1024',
      ),
    );
    const svg = draw(shared);
    expect(svg).toContain(
      '4 leases (4 done) on 1 nodes: backfilling aggressive, suspension all, migration yes, preemption ar-preempts-everything',
    );
    expect([...svg.matchAll(/paint-order="stroke">(\d)</g)].map(([, lease]) => lease)).toEqual(['1', '2', '3', '4']);
  });

  it('shows utilization and queue length over time', () => {
    const { result, workload, site } = run(
      workloadOf(
        [
          { type: 'BEST_EFFORT', arrival: 0, duration: 100 },
          {
            type: 'BEST_EFFORT',
            arrival: 10,
            duration: 100,
            machines: Array(2).fill({ CPU: 100, Memory: 1 }),
          },
          { type: 'BEST_EFFORT', arrival: 20, duration: 200 },
        ],
        '2 CPU:100 Memory:1024',
      ),
      { ...defaultSchedulerConfig, backfilling: 'off' },
    );
    expect(utilizationOver(result, workload, site)).toEqual([
      [0, 0.5],
      [100, 1],
      [200, 0.5],
      [400, 0],
    ]);
    expect(queueLengthOver(result)).toEqual([
      [0, 0],
      [10, 1],
      [20, 2],
      [100, 1],
      [200, 0],
    ]);
    expect(draw({ result, workload, site })).toContain('>2 leases in the queue<');
  });

  it('is drawn for an empty run and for many nodes', () => {
    const nothing = run(
      workloadOf([{ type: 'ADVANCE_RESERVATION', arrival: 10, start: 5, duration: 10 }], '300 CPU:100 Memory:1024'),
    );
    const svg = draw(nothing);
    expect(svg).toContain('1 leases (0 done) on 300 nodes');
    expect(svg).not.toContain('NaN');
    expect(svg).not.toContain('Infinity');
  });
});

describe('an axis', () => {
  it('has round times', () => {
    expect(ticks(0, 3600, 5).map(({ label }) => label)).toEqual(['00:00', '00:15', '00:30', '00:45', '01:00']);
    expect(ticks(86_000, 100_000, 6).map(({ label }) => label)).toEqual([
      '1 d 00:00',
      '1 d 01:00',
      '1 d 02:00',
      '1 d 03:00',
    ]);
    expect(ticks(3, 9, 10).map(({ label }) => label)).toEqual([
      '00:00:03',
      '00:00:04',
      '00:00:05',
      '00:00:06',
      '00:00:07',
      '00:00:08',
      '00:00:09',
    ]);
    expect(ticks(0, 1e9, 10).length).toBeLessThanOrEqual(11);
  });
});
