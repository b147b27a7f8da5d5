/**
 * `npm run bench [-- NAME …] [-- --quick]`: runs the named benchmarks, or all of them, and prints their figures.
 * `--quick` measures less, to see that they work.
 */
import { cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { backlogBenchmark } from './backlog.ts';
import { consoleChartBenchmark } from './console-chart.ts';
import { consoleLoadBenchmark } from './console-load.ts';
import { consoleMemoryBenchmark } from './console-memory.ts';
import { fanOutBenchmark } from './fan-out.ts';
import { growthBenchmark } from './growth.ts';
import { lagBenchmark } from './lag.ts';
import { latencyBenchmark } from './latency-during-pass.ts';
import { liveChangesBenchmark } from './live-changes.ts';
import { nestedListBenchmark } from './nested-list.ts';
import { readersBenchmark } from './readers.ts';
import { requestsBenchmark } from './requests.ts';
import { serverBenchmark } from './server.ts';
import { simulateBenchmark } from './simulate.ts';
import { slotTableBenchmark } from './slot-table.ts';
import { startUpBenchmark } from './start-up.ts';
import { statementsBenchmark } from './statements.ts';
import { formatTable, type Table } from './support/table.ts';
import { windowsBenchmark } from './windows.ts';

const benchmarks: Readonly<Record<string, (quick: boolean) => Table[] | Promise<Table[]>>> = {
  simulate: simulateBenchmark,
  growth: growthBenchmark,
  backlog: backlogBenchmark,
  'slot-table': slotTableBenchmark,
  'live-changes': liveChangesBenchmark,
  'start-up': startUpBenchmark,
  server: serverBenchmark,
  windows: windowsBenchmark,
  statements: statementsBenchmark,
  'fan-out': fanOutBenchmark,
  readers: readersBenchmark,
  lag: lagBenchmark,
  requests: requestsBenchmark,
  'nested-list': nestedListBenchmark,
  'latency-during-pass': latencyBenchmark,
  'console-chart': consoleChartBenchmark,
  'console-load': consoleLoadBenchmark,
  'console-memory': consoleMemoryBenchmark,
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { quick: { type: 'boolean', default: false } },
});
const unknown = positionals.filter((name) => !(name in benchmarks));
if (unknown.length > 0) {
  console.error(`There is no benchmark ${unknown.join(', ')}: there are ${Object.keys(benchmarks).join(', ')}.`);
  process.exit(2);
}
const processors = cpus();
const load = () => loadavg()[0]?.toFixed(1);
console.log(
  `Node.js ${process.version} on ${processors.length} × ${processors[0]?.model.trim()}; load average ${load()} before.`,
);
for (const name of positionals.length > 0 ? positionals : Object.keys(benchmarks)) {
  for (const table of (await benchmarks[name]?.(values.quick)) ?? []) console.log(`\n${formatTable(table)}`);
}
console.log(`\nLoad average ${load()} after.`);
