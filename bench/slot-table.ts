/** The slot table's operations one by one, on tables of many sizes. */
import { defaultSchedulerConfig } from '../src/core/index.ts';
import { makeLease } from '../src/core/lifecycle/request.ts';
import type { Lease } from '../src/core/model/lease.ts';
import { VmReservation } from '../src/core/model/lease.ts';
import { SchedulerState } from '../src/core/state.ts';
import { isPlan } from '../src/core/vm/plan.ts';
import { planSoonest } from '../src/core/vm/soonest.ts';
import { median } from './support/statistics.ts';
import type { Cell, Table } from './support/table.ts';
import { randomNumbers } from './synthetic.ts';

const sizes = [
  ...[100, 1_000, 10_000].flatMap((nodes) => [1_000, 10_000, 100_000].map((chains) => ({ nodes, chains }))),
];

const minute = 60_000;
const hour = 60 * minute;
/** Each operation is repeated for this long (ms), several times. */
const round = 100;
const rounds = 5;

export function slotTableBenchmark(quick: boolean): Table[] {
  const rows: Cell[][] = [];
  for (const { nodes, chains } of quick ? sizes.filter(({ chains }) => chains <= 10_000) : sizes) {
    const table = new FilledTable(nodes, chains);
    rows.push([
      nodes,
      chains,
      ...[
        table.removeAndAdd(),
        table.freeOnNode(),
        table.earliestFit(1, hour / 2),
        table.earliestFit(16, hour / 2),
        table.earliestFit(nodes / 4, hour / 2),
        table.earliestFit(1, hour),
      ].map((operation) => perSecond(operation)),
    ]);
  }
  return [
    {
      title: 'Slot table, operations a second',
      columns: [
        ...['nodes', 'reservations', 'remove and add one', 'free on node n over [a, b)?'],
        ...['earliest fit: 1 machine', '16 machines', 'a quarter of the nodes', '1 machine, no gap fits'],
      ],
      rows,
      notes: [
        `Medians of ${rounds} rounds after a warm-up. A reservation is a VM with its shutdown, on 4 nodes, 10 minutes to 4 hours long; between two on a node up to an hour is free. Asked for is half an hour, and in the last column an hour, which fits nowhere before the end of the schedule: the worst case. Nothing may be suspended. A second is one of CPU time.`,
      ],
    },
  ];
}

/** How often it can be done in a second: the median of several rounds, after one that does not count. */
function perSecond(operation: () => void): number {
  const measure = () => {
    const before = process.cpuUsage();
    let count = 0;
    let elapsed = 0;
    for (let batch = 1; elapsed < round; batch = Math.min(256, batch * 2)) {
      for (let i = 0; i < batch; i += 1) operation();
      count += batch;
      const { user, system } = process.cpuUsage(before);
      elapsed = (user + system) / 1_000;
    }
    return (count / elapsed) * 1_000;
  };
  measure();
  return median(Array.from({ length: rounds }, measure));
}

const machine = { CPU: 100, Memory: 1_024 };

/** A site on which many leases are planned: each on four nodes, one after the other with gaps in between. */
class FilledTable {
  private readonly state: SchedulerState;
  private readonly random = randomNumbers(7);
  private readonly planned: VmReservation[] = [];
  private readonly now = 0;
  private horizon = 0;
  private lastId = 0;

  constructor(nodes: number, chains: number) {
    const site = {
      resourceTypes: ['CPU', 'Memory'],
      nodes: Array.from({ length: nodes }, (_, index) => ({
        number: index + 1,
        hostname: `n${index + 1}`,
        capacity: machine,
      })),
    };
    this.state = new SchedulerState(site, defaultSchedulerConfig, {});
    this.state.table.moveTo(this.now);
    const freeFrom = new Array<number>(nodes + 1).fill(this.now);
    for (let chain = 0; chain < chains; chain += 1) {
      const hosts = [0, 1, 2, 3].map((offset) => ((chain * 4 + offset) % nodes) + 1);
      const duration = 10 * minute + this.whole(230) * minute;
      const start = Math.max(...hosts.map((host) => freeFrom[host] as number)) + this.whole(60) * minute;
      for (const host of hosts) freeFrom[host] = start + duration;
      this.planned.push(this.plan(hosts, start, duration));
    }
    this.horizon = Math.max(...freeFrom);
  }

  removeAndAdd(): () => void {
    const { table } = this.state;
    return () => {
      const vm = this.planned[this.whole(this.planned.length)] as VmReservation;
      table.withdrawChain(vm);
      table.addChain(vm);
    };
  }

  freeOnNode(): () => void {
    const { mapper, table } = this.state.planning;
    const lease = this.lease(1, hour);
    return () => {
      const start = this.whole(this.horizon);
      const end = start + hour / 2;
      const request = { lease, start, end, strict: true, nodes: null, candidates: [], worthwhileUntil: end };
      mapper.refit(request, [0, 1 + this.whole(table.nodeCount)]);
    };
  }

  earliestFit(machines: number, duration: number): () => void {
    const { planning } = this.state;
    const lease = this.lease(machines, duration);
    return () => {
      const found = planSoonest(planning, lease, this.now, { whole: false, future: true, starts: null });
      if (!isPlan(found)) throw new Error(`${machines} machines fit nowhere`);
    };
  }

  private plan(hosts: readonly number[], start: number, duration: number): VmReservation {
    const { planning, table } = this.state;
    const lease = this.lease(hosts.length, duration);
    const need = this.state.space.need(machine).vector;
    const amounts = new Map(hosts.map((host) => [host, need]));
    const vm = new VmReservation(lease, start, start + duration, amounts, [0, ...hosts]);
    vm.after = [planning.chains.shutdown(vm, vm.end)];
    table.addChain(vm);
    return vm;
  }

  private lease(machines: number, duration: number): Lease {
    this.lastId += 1;
    return makeLease(this.state, {
      ...{ id: this.lastId, name: null, type: 'BEST_EFFORT', submittedAt: this.now, requestedStart: null },
      ...{
        originalDuration: duration,
        duration,
        knownDuration: null,
        preemptible: true,
        image: null,
        owner: null,
        project: null,
        occurrenceOf: null,
        deadline: null,
      },
      machines: new Array(machines).fill(machine),
    });
  }

  private whole(below: number): number {
    return Math.floor(this.random() * below);
  }
}
