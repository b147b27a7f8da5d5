/**
 * How the cost of scheduling grows with a backlog: early ends under conservative backfilling, and reservations that
 * preempt.
 */
import { defaultSchedulerConfig, type SchedulerConfig } from '../src/core/index.ts';
import { noOverheads } from '../src/simulation/overheads.ts';
import { type SimulationOptions, simulate } from '../src/simulation/run.ts';
import type { TraceLease } from '../src/simulation/workload.ts';
import type { Cell, Table } from './support/table.ts';
import { randomNumbers } from './synthetic.ts';

const nodes = 256;
/** A size is run again until it has taken this long, three times at most. */
const maxSeconds = 10;
const machine = { CPU: 100, Memory: 1_024 };

interface Scenario {
  readonly title: string;
  /** What the leases run, as a share of what the site can run in the time in which they arrive. */
  readonly load: number;
  /** How many of the leases end before their requested duration, and how many are advance reservations: shares. */
  readonly early: number;
  readonly reserved: number;
  readonly config: Partial<SchedulerConfig>;
  readonly sizes: readonly number[];
}

const preempting = { preemption: 'ar-preempts-everything', suspension: 'all' } as const;
const scenarios: readonly Scenario[] = [
  {
    title: 'conservative, 80 % end early, load 0.95',
    ...{ load: 0.95, early: 0.8, reserved: 0, config: { backfilling: 'conservative' } },
    sizes: [1_000, 2_000, 4_000, 8_000],
  },
  {
    title: 'conservative, 80 % end early, load 1.3',
    ...{ load: 1.3, early: 0.8, reserved: 0, config: { backfilling: 'conservative' } },
    sizes: [1_000, 2_000, 4_000],
  },
  {
    title: 'aggressive, 20 % reservations that preempt, load 0.95',
    ...{ load: 0.95, early: 0.33, reserved: 0.2, config: preempting },
    sizes: [2_000, 4_000, 8_000, 16_000],
  },
  {
    title: 'conservative, 20 % reservations that preempt, load 0.95',
    ...{ load: 0.95, early: 0.33, reserved: 0.2, config: { ...preempting, backfilling: 'conservative' } },
    sizes: [1_000, 2_000, 4_000, 8_000],
  },
];

export function backlogBenchmark(quick: boolean): Table[] {
  const rows: Cell[][] = [];
  for (const scenario of scenarios) {
    let before: number | null = null;
    // What is run first includes the time in which its code is compiled.
    if (!quick) simulate(run(scenario, scenario.sizes[0] as number));
    for (const count of quick ? scenario.sizes.slice(0, 1) : scenario.sizes) {
      const options = run(scenario, count);
      let seconds = Number.POSITIVE_INFINITY;
      let events: ReturnType<typeof simulate>['events'] = [];
      // The fastest of several runs, which is the least disturbed.
      for (let round = 0, spent = 0; round < (quick ? 1 : 3) && spent < maxSeconds; round += 1) {
        const begun = process.cpuUsage();
        ({ events } = simulate(options));
        const { user, system } = process.cpuUsage(begun);
        seconds = Math.min(seconds, (user + system) / 1_000_000);
        spent += (user + system) / 1_000_000;
      }
      const moves = events.filter(([, , from, to]) => from === 'READY' && to === 'PENDING').length;
      rows.push([scenario.title, count, seconds, before === null ? null : seconds / before, moves, events.length]);
      before = seconds;
    }
  }
  return [
    {
      title: `A backlog on ${nodes} nodes`,
      columns: ['scenario', 'leases', 'CPU, s', 'times the row before', 'plans moved', 'events'],
      rows,
    },
  ];
}

/** Widths from 1 to a quarter of the site, mostly small; 10 minutes to 8 hours long. */
function run({ load, early, reserved, config }: Scenario, count: number): SimulationOptions {
  const random = randomNumbers(1);
  const lists = Array.from({ length: nodes / 4 + 1 }, (_, width) => new Array(width).fill(machine));
  let arrival = 0;
  const leases = Array.from({ length: count }, (_, index): TraceLease => {
    const width = Math.max(1, Math.floor(2 ** (random() * Math.log2(nodes / 4))));
    const requested = 600 + Math.floor(random() ** 3 * 8 * 3_600);
    const runs = random() < early ? Math.max(1, Math.floor(requested * random())) : requested;
    const isReserved = random() < reserved;
    const lead = 600 + Math.floor(random() * 6 * 3_600);
    const at = Math.floor(arrival) * 1_000;
    arrival += (width * runs) / (nodes * load);
    return {
      id: index + 1,
      type: isReserved ? 'ADVANCE_RESERVATION' : 'BEST_EFFORT',
      arrival: at,
      machines: lists[width] ?? [],
      duration: requested * 1_000,
      knownDuration: runs === requested ? null : runs * 1_000,
      start: isReserved ? at + lead * 1_000 : null,
      deadline: null,
      preemptible: !isReserved,
      image: null,
      user: null,
    };
  });
  const site = {
    resourceTypes: ['CPU', 'Memory'],
    nodes: Array.from({ length: nodes }, (_, index) => ({
      number: index + 1,
      hostname: `n${index + 1}`,
      capacity: machine,
    })),
  };
  return {
    workload: { name: null, description: null, site, leases, attributes: {} },
    config: {
      ...{
        scheduler: { ...defaultSchedulerConfig, ...config },
        startTime: 0,
        site,
        probes: [],
        attributes: {},
      },
      ...{ stopWhen: 'all-leases-done', overheads: noOverheads, overrideMemory: null },
    },
  };
}
