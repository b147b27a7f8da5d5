/** Made-up traces: how time and memory grow with the number of leases and of nodes. Whole processes. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runProgram } from './support/program.ts';
import { growth } from './support/statistics.ts';
import type { Cell, Table } from './support/table.ts';
import { syntheticTrace } from './synthetic.ts';

interface Site {
  readonly leases: number;
  readonly nodes: number;
}

const curve: readonly Site[] = [12_500, 25_000, 50_000, 100_000].map((leases) => ({ leases, nodes: 1_000 }));
const large: Site = { leases: 10_000, nodes: 10_000 };
/** They ask for what the site has; it would be full always if a third of them did not end early. */
const load = 1;

export async function growthBenchmark(quick: boolean): Promise<Table[]> {
  const directory = mkdtempSync(join(tmpdir(), 'leasegraph-bench-'));
  const rows: Cell[][] = [];
  let first: { leases: number; user: number } | null = null;
  try {
    for (const { leases, nodes } of quick ? curve.slice(0, 2) : [...curve, large]) {
      const trace = join(directory, 'synthetic.swf');
      writeFileSync(trace, syntheticTrace(leases, nodes, load));
      const { usage } = await runProgram(['simulate', trace, '--site', `${nodes} CPU:100 Memory:1024`]);
      const { wall, user, peakMb } = usage;
      const since = nodes === 1_000 ? first : null;
      rows.push([
        leases,
        nodes,
        wall,
        user,
        (user / leases) * 1_000,
        peakMb,
        since && growth([since.leases, leases], [since.user, user]),
        since && nLogN(since.leases, leases),
      ]);
      first ??= { leases, user };
    }
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
  return [
    {
      title: 'Growth with leases and nodes (made-up traces, aggressive backfilling)',
      columns: [
        ...['leases', 'nodes', 'wall, s', 'CPU, s', 'CPU a lease, ms', 'peak, MB'],
        ...['since the first row grows as leases^', 'n log n would be ^'],
      ],
      rows,
    },
  ];
}

const nLogN = (from: number, to: number): number => growth([from, to], [from * Math.log(from), to * Math.log(to)]);
