/**
 * What happens in a comparison of a live run with a simulation: requests and a file of commands, drawn from a seed. One
 * thing happens at a time: no two requests or commands fall on one instant, nor on one at which something comes due. (A
 * simulation has an order for those, R30; callers of a server have none.)
 *
 * Every time is a multiple of 3 seconds, what operations take included: at 60 times the usual speed that is a whole
 * number of milliseconds of the wall clock, which a server reads in whole milliseconds.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '../../../src/cli/simulate/config.ts';
import type { Amounts, LeaseType } from '../../../src/core/index.ts';
import type { Command } from '../../../src/simulation/commands.ts';
import { readCommands } from '../../../src/simulation/formats/commands.ts';
import { textSource } from '../../../src/simulation/formats/source.ts';
import type { SimulationResult } from '../../../src/simulation/result.ts';
import { simulate } from '../../../src/simulation/run.ts';
import type { TraceLease } from '../../../src/simulation/workload.ts';
import { Random } from '../random.ts';

export interface Scenario {
  readonly seed: number;
  /** Of the server and of the simulation. */
  readonly config: { readonly site: object; readonly scheduler: object };
  readonly leases: readonly TraceLease[];
  /** JSON Lines, as for `simulate --commands`. */
  readonly commands: string;
}

const schedulers = [
  { backfilling: 'aggressive', suspension: 'all', migration: 'yes' },
  { backfilling: 'conservative', suspension: 'all', shutdownTime: 6 },
  { backfilling: 'conservative', nodeFailure: 'fail' },
  {
    backfilling: 'aggressive',
    suspension: 'serial-only',
    preparation: 'imagetransfer',
    imageTransfer: { reuse: 'image-caches' },
  },
].map((scheduler) => ({
  ...{ preemption: 'ar-preempts-everything', suspendRate: 30, resumeRate: 30 },
  ...scheduler,
}));

const nodes = 4;
const capacity = { CPU: 100, Memory: 900 };
/** All times are multiples of this, in seconds. */
const unit = 3;

/** `span`: the seconds within which requests and commands come. */
export function scenarioOf(seed: number, requests: number, commands: number, span: number): Scenario {
  const random = new Random(seed);
  for (;;) {
    const drawn = draw(random, requests, commands, span);
    const { due, own } = instantsOf(drawn, 0);
    if (own.every((at) => !due.has(at))) return { ...drawn, seed };
  }
}

function draw(random: Random, requests: number, commands: number, span: number): Scenario {
  // Requests early, so that commands find something.
  const arrivals = distinct(random, requests, Math.ceil(span / 2), new Set());
  const instants = distinct(random, commands, span, new Set(arrivals));
  const leases = arrivals.map((arrival, index) => leaseAt(random, arrival, index + 1));
  const lines = instants.map((at, index) => ({ at, ...commandAt(random, at, index, leases) }));
  // So that every lease can end.
  const last = Array.from({ length: nodes }, (_, index) => ({
    at: span + unit * (index + 1),
    node: index + 1,
    set: 'UP',
  }));
  return {
    seed: 0,
    config: {
      site: { nodes: [{ count: nodes, capacity }] },
      scheduler: random.pick(schedulers),
    },
    leases,
    commands: [...lines, ...last].map((line) => `${JSON.stringify(line)}\n`).join(''),
  };
}

function seconds(random: Random, min: number, max: number): number {
  return random.between(Math.ceil(min / unit), Math.floor(max / unit)) * unit;
}

function distinct(random: Random, count: number, span: number, taken: Set<number>): number[] {
  const found = new Set<number>();
  while (found.size < count) {
    const at = seconds(random, 1, span);
    if (!taken.has(at)) found.add(at);
  }
  return [...found].sort((a, b) => a - b);
}

function leaseAt(random: Random, arrival: number, id: number): TraceLease {
  const type = random.pick<LeaseType>([
    ...(['BEST_EFFORT', 'BEST_EFFORT', 'BEST_EFFORT', 'ADVANCE_RESERVATION'] as const),
    ...(['ADVANCE_RESERVATION', 'DEADLINE', 'IMMEDIATE'] as const),
  ]);
  const machine: Amounts = random.pick([capacity, capacity, { CPU: 50, Memory: 450 }]);
  const duration = seconds(random, 40, 200);
  const start = arrival + seconds(random, 30, 150);
  const hasStart = type === 'ADVANCE_RESERVATION' || (type === 'DEADLINE' && random.chance(0.5));
  const slack = seconds(random, 60, 300);
  return {
    id,
    type,
    arrival: arrival * 1_000,
    machines: Array.from({ length: random.between(1, nodes - 1) }, () => machine),
    duration: duration * 1_000,
    knownDuration: null,
    start: hasStart ? start * 1_000 : null,
    deadline: type === 'DEADLINE' ? ((hasStart ? start : arrival) + duration + slack) * 1_000 : null,
    preemptible: type === 'BEST_EFFORT',
    image: { name: random.pick(['debian', 'alma']), sizeMb: 300 },
    user: null,
  };
}

function commandAt(random: Random, at: number, index: number, leases: readonly TraceLease[]): object {
  const requested = leases.filter(({ arrival }) => arrival <= at * 1_000);
  // Usually a lease that was requested, and one more.
  const lease = random.between(1, requested.length + 1);
  const node = random.between(1, nodes);
  const kind = random.between(1, 20);
  const longer = seconds(random, 30, 400);
  if (kind <= 3) return { update: lease, duration: longer };
  if (kind <= 5) return newTimes(random, at, requested) ?? { update: lease, duration: longer };
  if (kind <= 6) return { update: lease, duration: longer, asFarAsPossible: true };
  if (kind <= 7) return { cancel: lease };
  if (kind <= 12) {
    const collisions = random.pick(['REFUSE', 'DISPLACE']);
    return random.chance(0.5)
      ? { node, set: 'DRAINING', collisions }
      : { node, set: random.pick(['DOWN', 'UP', 'UP']) };
  }
  if (kind <= 14) return { endMaintenance: `m${random.between(0, index)}` };
  const start = at + seconds(random, 0, 120);
  return {
    maintenance: `m${index}`,
    nodes: random.chance(0.5) ? [node] : [node, (node % nodes) + 1],
    start,
    end: start + seconds(random, 20, 150),
    collisions: random.pick(['REFUSE', 'DISPLACE']),
  };
}

/** A new start of an advance reservation or a new deadline; null where there is no lease that has one. */
function newTimes(random: Random, at: number, leases: readonly TraceLease[]): object | null {
  const timed = leases.filter(({ type }) => type === 'ADVANCE_RESERVATION' || type === 'DEADLINE');
  if (timed.length === 0) return null;
  const { id, type } = random.pick(timed);
  if (type === 'DEADLINE') return { update: id, deadline: at + seconds(random, 60, 500) };
  const start = at + seconds(random, 3, 200);
  return random.chance(0.5) ? { update: id, start } : { update: id, start, duration: seconds(random, 30, 200) };
}

export interface Simulated {
  readonly result: SimulationResult;
  readonly commands: readonly Command[];
  /** Milliseconds from the start: every instant of the run, ascending. */
  readonly instants: readonly number[];
}

/** The scenario as a simulation that starts at the given instant. */
export function simulated({ config, leases, commands }: Scenario, startTime: number): Simulated {
  const read = readCommands(textSource('commands', commands));
  const instants = new Set(read.map(({ at }) => at));
  const result = simulate({
    workload: { name: null, description: null, site: null, attributes: {}, leases },
    commands: read,
    config: { ...runConfig(config), startTime },
    observers: [{ onStep: (at) => instants.add(at - startTime) }],
  });
  return { result, commands: read, instants: [...instants].sort((a, b) => a - b) };
}

/** As `simulate --config` reads it. */
function runConfig(config: object) {
  const directory = mkdtempSync(join(tmpdir(), 'leasegraph-outcome-'));
  try {
    const file = join(directory, 'site.json');
    writeFileSync(file, JSON.stringify(config));
    return loadConfig(file, []).config;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Instants at which something comes due, and those of requests and commands. */
function instantsOf({ config, leases, commands }: Scenario, startTime: number) {
  const due = new Set<number>();
  const read = readCommands(textSource('commands', commands));
  let next: number | null = null;
  simulate({
    workload: { name: null, description: null, site: null, attributes: {}, leases },
    commands: read,
    config: { ...runConfig(config), startTime },
    observers: [
      {
        onStep: (at, scheduler) => {
          if (next === at) due.add(at - startTime);
          next = scheduler.nextChangepoint(at);
        },
      },
    ],
  });
  return { due, own: [...read, ...leases.map(({ arrival: at }) => ({ at }))].map(({ at }) => at) };
}
