/** `leasegraph simulate` as a whole process, on traces of real machines. */
import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runRepeatedly, type Usage } from './support/program.ts';
import { growth } from './support/statistics.ts';
import type { Cell, Table } from './support/table.ts';

const traces = fileURLToPath(new URL('../../shared/traces', import.meta.url));

interface Run {
  readonly trace: string;
  readonly nodes: number;
  readonly how: string;
  readonly options?: readonly string[];
  /** Seconds. */
  readonly target?: number;
  /** What Haizea 1.0 takes on a machine of this kind, in seconds. */
  readonly reference?: number;
}

const injected = join(traces, 'haizea/injected/15days/work_10-dur_2h-size_2medium.lwf');

const runs: readonly Run[] = [
  { trace: 'blue/150requests.swf', nodes: 144, how: 'aggressive', reference: 3.8 },
  { trace: 'blue/600requests.swf', nodes: 144, how: 'aggressive', reference: 19.5 },
  { trace: 'blue/1000requests.swf', nodes: 144, how: 'aggressive', reference: 64 },
  { trace: 'blue/15days.swf', nodes: 144, how: 'aggressive', target: 1.5, reference: 756 },
  { trace: 'blue/30days.swf', nodes: 144, how: 'aggressive', target: 3 },
  { trace: 'blue/60days.swf', nodes: 144, how: 'aggressive', target: 7 },
  {
    trace: 'blue/15days.swf',
    nodes: 144,
    how: 'aggressive, advance reservations injected, suspension, migration, preemption',
    options: [
      ...['--inject', injected, '--suspension', 'all', '--migration', 'yes'],
      ...['--preemption', 'ar-preempts-everything'],
    ],
    target: 6,
  },
  {
    trace: 'blue/30days.swf',
    nodes: 144,
    how: 'conservative',
    options: ['--backfilling', 'conservative'],
    target: 30,
  },
  { trace: 'pwa/nasa-ipsc-1993.swf', nodes: 128, how: 'aggressive' },
  { trace: 'pwa/lublin_256.swf', nodes: 256, how: 'aggressive' },
  { trace: 'pwa/hpc2n-3171.swf', nodes: 240, how: 'aggressive' },
];

export async function simulateBenchmark(quick: boolean): Promise<Table[]> {
  if (!existsSync(traces))
    return [{ title: 'simulate', columns: ['left out'], rows: [[`the traces are not there: ${traces}`]] }];
  const rows: Cell[][] = [];
  const curve: { days: string; leases: number; usage: Usage }[] = [];
  for (const { trace, nodes, how, options = [], target, reference } of runs) {
    const site = `${nodes} CPU:100 Memory:1024`;
    const { stdout, usage } = await runRepeatedly(
      ['simulate', join(traces, trace), '--site', site, '--json', ...options],
      quick ? 1 : 5,
    );
    const { leases } = (JSON.parse(stdout) as { summary: { leases: number } }).summary;
    const faster = reference === undefined ? null : reference / usage.wall;
    rows.push([
      basename(trace, '.swf'),
      leases,
      nodes,
      how,
      usage.wall,
      usage.user,
      usage.peakMb,
      target ?? null,
      reference ?? null,
      faster,
    ]);
    const days = /(\d+)days/.exec(trace)?.[1];
    if (days !== undefined && options.length === 0) curve.push({ days, leases, usage });
  }
  return [
    {
      title: '`simulate`, a whole process',
      columns: [
        ...['trace', 'leases', 'nodes', 'how', 'wall, s', 'CPU, s', 'peak, MB'],
        ...['target, s', 'Haizea, s', 'times faster'],
      ],
      rows,
    },
    growthTable(curve),
  ];
}

function growthTable(curve: readonly { days: string; leases: number; usage: Usage }[]): Table {
  const first = curve[0];
  return {
    title: 'Growth with the length of a trace (15, 30 and 60 days of one machine)',
    columns: ['days', 'leases', 'wall, s', 'CPU, s', 'CPU a lease, ms', 'grows as leases^'],
    rows: curve.map(({ days, leases, usage }) => [
      days,
      leases,
      usage.wall,
      usage.user,
      (usage.user / leases) * 1_000,
      first === undefined || leases === first.leases
        ? null
        : growth([first.leases, leases], [first.usage.user, usage.user]),
    ]),
  };
}
