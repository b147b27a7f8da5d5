/** How long changes take while leases run: updates, draining, maintenance, leases with a deadline. */
import { defaultSchedulerConfig, type LeaseRequest, Scheduler, type Snapshot } from '../src/core/index.ts';
import { percentile } from './support/statistics.ts';
import type { Cell, Table } from './support/table.ts';
import { randomNumbers } from './synthetic.ts';

const minute = 60_000;
const hour = 60 * minute;
const nodes = 256;
const machine = { CPU: 100, Memory: 1024 };
const site = {
  resourceTypes: ['CPU', 'Memory'],
  nodes: Array.from({ length: nodes }, (_, index) => ({
    number: index + 1,
    hostname: `node-${index + 1}`,
    capacity: { CPU: 100, Memory: 1024 },
  })),
};
const config = {
  ...defaultSchedulerConfig,
  backfilling: 'conservative' as const,
  preemption: 'ar-preempts-everything',
};

export function liveChangesBenchmark(quick: boolean): Table[] {
  const times = quick ? 5 : 50;
  const sizes = quick ? [250, 500] : [2_500, 5_000];
  const rows = sizes.flatMap((leases) => {
    const snapshot = filled(leases);
    const running = snapshot.leases.filter(({ state }) => state === 'ACTIVE').map(({ id }) => id);
    return [
      measure('an extension of a running lease', leases, snapshot, times, (scheduler, i) =>
        scheduler.update(hour, running[i % running.length] as number, {
          duration: 12 * hour,
          asFarAsPossible: true,
        }),
      ),
      measure('one node is drained', leases, snapshot, times, (scheduler, i) =>
        scheduler.setNodeState(hour, 1 + (i % nodes), 'DRAINING'),
      ),
      measure('one node fails', leases, snapshot, times, (scheduler, i) =>
        scheduler.setNodeState(hour, 1 + (i % nodes), 'DOWN'),
      ),
      measure('maintenance of 32 nodes', leases, snapshot, times, (scheduler, i) =>
        scheduler.planMaintenance(
          hour,
          {
            name: 'm',
            nodes: Array.from({ length: 32 }, (_, index) => 1 + ((i + index) % nodes)),
            start: 3 * hour,
            end: 5 * hour,
          },
          'DISPLACE',
        ),
      ),
    ];
  });
  for (const leases of quick ? [200] : [1_000, 2_000])
    rows.push(
      measure('a lease with a deadline', leases, filled(leases), times, (scheduler, i) => {
        scheduler.request(hour, withDeadline(100_000 + i, 1 + (i % 64), (2 + (i % 10)) * hour));
        return scheduler.pass(hour);
      }),
    );
  return [
    {
      title: 'Changes while leases run',
      columns: ['change', 'leases', 'median, ms', '99th percentile, ms', 'longest, ms'],
      rows,
      notes: [
        `${nodes} nodes, conservative backfilling: every lease is running or planned. Leases have 1 to 16 machines that fill a node, and last 10 minutes to 4 hours; one in ten has a deadline. Processor time of one command (the whole process: compilation and garbage collection included), rehearsed ${times} times on one scheduler; the lease with a deadline is decided in a pass, of which the longest step counts. Leases move forward in later passes (\`reevaluation: in-pass\`).`,
      ],
    },
  ];
}

/** A site on which so many leases run or are planned. */
function filled(leases: number): Snapshot {
  const random = randomNumbers(7);
  const scheduler = Scheduler.create(site, config, { reevaluation: 'in-pass' });
  for (let id = 1; id <= leases; id += 1) {
    const count = 1 + Math.floor(random() * 16);
    const duration = Math.round((10 + random() * 230) * 60) * 1_000;
    const request: LeaseRequest = {
      id,
      type: 'BEST_EFFORT',
      machines: new Array(count).fill(machine),
      duration,
      preemptible: true,
    };
    scheduler.request(0, id % 10 === 0 ? withDeadline(id, count, 2_000 * hour) : request);
  }
  scheduler.schedule(0);
  scheduler.advance(hour);
  scheduler.schedule(hour);
  return scheduler.snapshot();
}

function withDeadline(id: number, count: number, deadline: number): LeaseRequest {
  return {
    id,
    type: 'DEADLINE',
    machines: new Array(count).fill(machine),
    duration: hour,
    deadline: deadline + hour,
    preemptible: true,
  };
}

function measure(
  what: string,
  leases: number,
  snapshot: Snapshot,
  times: number,
  change: (scheduler: Scheduler, i: number) => unknown,
): Cell[] {
  const taken: number[] = [];
  const scheduler = Scheduler.restore(site, config, snapshot, { reevaluation: 'in-pass' });
  scheduler.advance(hour);
  for (let i = -1; i < times; i += 1) {
    // Rehearsals leave garbage, which is not the next command's.
    globalThis.gc?.();
    const longest = scheduler.rehearse(() => longestStep(() => change(scheduler, Math.max(i, 0))));
    if (i >= 0) taken.push(longest);
  }
  return [what, leases, percentile(taken, 50), percentile(taken, 99), Math.max(...taken)].map((cell) =>
    typeof cell === 'number' && !Number.isInteger(cell) ? Number(cell.toFixed(1)) : cell,
  );
}

/** Milliseconds of processor for a command, or for the longest step if it leaves a pass to be made. */
function longestStep(command: () => unknown): number {
  let longest = 0;
  const timed = <T>(step: () => T): T => {
    const before = process.cpuUsage();
    const result = step();
    const { user, system } = process.cpuUsage(before);
    longest = Math.max(longest, (user + system) / 1_000);
    return result;
  };
  const pass = timed(command);
  if (isPass(pass)) while (!timed(() => pass.next()).done);
  return longest;
}

function isPass(value: unknown): value is ReturnType<Scheduler['pass']> {
  return typeof value === 'object' && value !== null && 'next' in value;
}
