/**
 * Random recurrences with random commands among other leases. Each occurrence becomes a lease once, at the start
 * given by its terms, however time is divided into steps and however often the scheduler is restored. A refused command
 * changes nothing.
 */
import fc from 'fast-check';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import {
  defaultSchedulerConfig,
  HOUR,
  isFinal,
  type LeaseRecord,
  type RecurrenceRequest,
  Scheduler,
  SchedulerError,
  type SiteSpec,
  type Snapshot,
} from '../../src/core/index.ts';
import { type CommandName, commandKinds, kindOf } from '../../src/engine/commands/table.ts';
import { CommandError } from '../../src/engine/ports.ts';
import { Quarantine } from '../../src/engine/quarantine.ts';
import { OccurrenceMaker } from '../../src/engine/recurrences/maker.ts';
import { seriesOf, startsFrom } from '../../src/engine/recurrences/series.ts';
import { absentHosts } from '../support/absent-hosts.ts';
import { PATIENT, runs } from './run.ts';

// A week before clocks change in Berlin.
const begin = Date.parse('2024-10-20T00:00:00Z');
const horizon = 6 * 24 * HOUR;
const recurrences = { horizon, maxPerProject: 100 };
const tools = { hosts: absentHosts, quarantine: new Quarantine(), recurrences };
const site: SiteSpec = {
  resourceTypes: ['CPU', 'Memory'],
  nodes: [1, 2].map((number) => ({
    number,
    hostname: `node-${number}`,
    capacity: { CPU: 100, Memory: 1024 },
  })),
};
const config = { ...defaultSchedulerConfig, backfilling: 'conservative' as const };

const wallClock = (hours: number): string => new Date(begin + hours * HOUR).toISOString().slice(0, 19);

const machineLists = fc
  .integer({ min: 1, max: 2 })
  .map((count) => Array.from({ length: count }, () => ({ CPU: 100, Memory: 512 })));

const requests: fc.Arbitrary<RecurrenceRequest> = fc.record({
  name: fc.constant(null),
  machines: machineLists,
  duration: fc.integer({ min: 1, max: 30 }).map((hours) => hours * HOUR),
  preemptible: fc.boolean(),
  image: fc.constant(null),
  owner: fc.constant(null),
  project: fc.constant(null),
  collisions: fc.constantFrom('ALL_OR_NOTHING', 'SKIP'),
  rule: fc.constantFrom(
    ...['FREQ=DAILY', 'FREQ=DAILY;INTERVAL=2', 'FREQ=DAILY;COUNT=5', 'FREQ=DAILY;UNTIL=20241029T120000Z'],
    ...['FREQ=WEEKLY', 'FREQ=MONTHLY;BYMONTHDAY=1,-1'],
  ),
  timeZone: fc.constantFrom('Europe/Berlin', 'UTC', 'Australia/Lord_Howe'),
  firstStart: fc.integer({ min: 0, max: 240 }).map(wallClock),
});

type Step =
  | { readonly wait: number }
  | { readonly restore: true }
  | { readonly kind: CommandName; readonly input: unknown };

const which = fc.integer({ min: 1, max: 4 });
const from = fc.option(fc.integer({ min: 1, max: 12 }), { nil: null });
const steps: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ wait: fc.integer({ min: 1, max: 40 }) }) },
  { weight: 1, arbitrary: fc.constant({ restore: true } as const) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('createRecurrence' as const), input: requests }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('updateRecurrence' as const),
      input: fc.record({
        recurrence: which,
        from,
        start: fc.option(fc.integer({ min: 0, max: 300 }).map(wallClock), { nil: undefined }),
        duration: fc.option(
          fc.integer({ min: 1, max: 30 }).map((hours) => hours * HOUR),
          { nil: undefined },
        ),
      }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('cancelRecurrence' as const),
      input: fc.record({ recurrence: which, from }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('cancel' as const),
      input: fc.record({ leaseNumber: fc.integer({ min: 1, max: 20 }) }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('request' as const),
      input: fc.record({
        type: fc.constant('BEST_EFFORT' as const),
        machines: machineLists,
        duration: fc.integer({ min: 1, max: 20 }).map((hours) => hours * HOUR),
        preemptible: fc.constant(true),
      }),
    }),
  },
);

class World {
  scheduler = Scheduler.create(site, config);
  now = begin;
  readonly leases = new Map<number, LeaseRecord>();
  /** Starts of created occurrences, by recurrence and index. */
  readonly made = new Map<string, number>();
  private readonly maker = new OccurrenceMaker({ horizon }, pino({ level: 'silent' }));

  /** Advances in steps of at most the given number of hours. */
  pass(hours: number, piece: number): void {
    for (let left = hours; left > 0; left -= piece) {
      this.now += Math.min(left, piece) * HOUR;
      this.turn();
    }
  }

  turn(): void {
    this.scheduler.advance(this.now);
    this.maker.makeDue(this.scheduler, this.now, Number.POSITIVE_INFINITY);
    this.scheduler.schedule(this.now);
    this.scheduler.advance(this.now);
    this.take();
  }

  /** Whether the command was carried out. */
  do(kind: CommandName, input: unknown): boolean {
    try {
      kindOf({ kind, input, principal: '', idempotencyKey: null }).apply(this.scheduler, this.now, input, tools);
      this.turn();
      return true;
    } catch (error) {
      if (error instanceof SchedulerError || error instanceof CommandError) return false;
      throw error;
    }
  }

  restore(): void {
    this.scheduler = Scheduler.restore(site, config, JSON.parse(this.text) as Snapshot);
  }

  get text(): string {
    return JSON.stringify(this.scheduler.snapshot());
  }

  private take(): void {
    const changes = this.scheduler.takeChanges();
    for (const lease of changes.leases) {
      const place = lease.occurrenceOf;
      if (place && !this.leases.has(lease.id)) {
        const key = `${place.recurrence}/${place.index}`;
        if (this.made.has(key)) throw new Error(`occurrence ${key} was made twice`);
        this.made.set(key, lease.requestedStart as number);
      }
      this.leases.set(lease.id, lease);
    }
  }
}

/** The parts of the result that do not depend on steps or restarts. */
function outcomeOf({ leases }: World) {
  return [...leases.values()]
    .filter(({ occurrenceOf }) => occurrenceOf !== null)
    .map(({ occurrenceOf, requestedStart, duration }) => ({ occurrenceOf, requestedStart, duration }));
}

describe('recurrences', () => {
  it('create each occurrence once, without gaps', PATIENT, () => {
    fc.assert(
      fc.property(fc.array(steps, { minLength: 5, maxLength: 40 }), (script) => {
        const world = new World();
        for (const step of script) {
          if ('wait' in step) world.pass(step.wait, 6);
          else if ('restore' in step) world.restore();
          else world.do(step.kind, step.input);
        }
        for (const { id, next, skipped, lastIndex } of world.scheduler.recurrences.all) {
          const indices = [...world.made.keys()]
            .filter((key) => key.startsWith(`${id}/`))
            .map((key) => Number(key.split('/')[1]));
          const all = [...indices, ...skipped.map(({ index }) => index)].sort((a, b) => a - b);
          expect(all).toEqual(all.map((_, at) => at + 1));
          if (next) expect(next.index).toBe(all.length + 1);
          if (next && lastIndex !== null) expect(next.index).toBeLessThanOrEqual(lastIndex);
        }
        // A recurrence without an end would keep the site busy forever.
        for (const { id } of world.scheduler.recurrences.all)
          world.do('cancelRecurrence', { recurrence: id, from: null });
        for (let day = 0; day < 60 && world.scheduler.liveLeases > 0; day += 1) world.pass(24, 6);
        expect([...world.leases.values()].filter(({ state }) => !isFinal(state))).toEqual([]);
      }),
      { numRuns: runs(150) },
    );
  });

  it('start at the times of their terms, on the wall clock', PATIENT, () => {
    fc.assert(
      fc.property(requests, fc.integer({ min: 1, max: 400 }), (request, hours) => {
        const world = new World();
        fc.pre(world.do('createRecurrence', request));
        world.pass(hours, 12);
        const series = seriesOf(request);
        const starts = startsFrom(series, { index: 1, day: series.firstDay }, []);
        const expected = new Map<string, number>();
        for (const { index, start } of starts) {
          if (start > world.now + horizon) break;
          expected.set(`1/${index}`, start);
        }
        for (const { index } of world.scheduler.recurrences.all[0]?.skipped ?? []) expected.delete(`1/${index}`);
        expect(world.made).toEqual(expected);
      }),
      { numRuns: runs(200) },
    );
  });

  it('are equal after a restart at any step, and without the refused commands', PATIENT, () => {
    fc.assert(
      fc.property(fc.array(steps, { minLength: 5, maxLength: 30 }), (script) => {
        const straight = new World();
        const other = new World();
        for (const step of script) {
          other.restore();
          if ('wait' in step) {
            straight.pass(step.wait, 6);
            other.pass(step.wait, 6);
          } else if ('kind' in step) {
            const before = straight.text;
            const accepted = straight.do(step.kind, step.input);
            if (accepted) other.do(step.kind, step.input);
            else expect(straight.text).toBe(before);
          }
        }
        expect(outcomeOf(other)).toEqual(outcomeOf(straight));
        expect(other.text).toBe(straight.text);
      }),
      { numRuns: runs(100) },
    );
  });

  it('are created as their dry run says, which leaves no trace', PATIENT, () => {
    fc.assert(
      fc.property(fc.array(steps, { maxLength: 12 }), requests, (script, request) => {
        const world = new World();
        for (const step of script) {
          if ('wait' in step) world.pass(step.wait, 24);
          else if ('kind' in step) world.do(step.kind, step.input);
        }
        const before = world.text;
        const { rehearseRecurrence } = commandKinds;
        let told: ReturnType<typeof rehearseRecurrence.apply> | null = null;
        try {
          told = rehearseRecurrence.apply(world.scheduler, world.now, request, tools);
        } catch (error) {
          if (!(error instanceof CommandError)) throw error;
        }
        expect(world.text).toBe(before);
        const taken = world.scheduler.takeChanges();
        expect([taken.leases, taken.reservations, taken.events, taken.recurrences]).toEqual([[], [], [], undefined]);
        expect(world.do('createRecurrence', request)).toBe(told?.accepted ?? false);
        if (!told?.accepted) return;
        const created = world.scheduler.recurrences.all.at(-1);
        const fitting = told.occurrences.filter(({ reason }) => reason === null);
        const made = [...world.made].filter(([key]) => key.startsWith(`${created?.id}/`));
        expect(made).toEqual(fitting.map(({ index, start }) => [`${created?.id}/${index}`, start]));
        expect(created?.skipped.map(({ index }) => index)).toEqual(
          told.occurrences.filter(({ reason }) => reason !== null).map(({ index }) => index),
        );
      }),
      { numRuns: runs(100) },
    );
  });
});
