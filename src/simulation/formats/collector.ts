import type { Millis, SiteSpec } from '../../core/index.ts';
import { TraceError } from '../errors.ts';
import type { TraceLease, Workload } from '../workload.ts';
import { Interner, maxMillis } from './values.ts';

/** Options for reading a trace of any format. */
export interface ReadOptions {
  /** The id of its first lease. Default 1. */
  readonly firstId?: number;
  /** Whether the leases should be in order of arrival. Default true. */
  readonly ordered?: boolean;
  readonly swf?: SwfOptions;
}

export interface SwfOptions {
  /** Processors that one machine stands for. Default 1. */
  readonly scale?: number;
  /** MB of each machine. Default 1024. */
  readonly memory?: number;
}

/** The result of reading a file. */
export interface ReadTrace {
  readonly workload: Workload;
  /** Resource types that leases request, with the line that first names each. */
  readonly resourceTypes: ReadonlyMap<string, number>;
  /** Not errors, but of interest to the user. */
  readonly warnings: readonly string[];
}

/** A lease as a reader finds it. */
type Draft = Omit<TraceLease, 'id' | 'deadline'> & Partial<Pick<TraceLease, 'deadline'>>;

/** Collects the leases of a trace: numbers them and checks what holds in every format. */
export class LeaseCollector {
  readonly interner = new Interner();
  readonly warnings: string[] = [];
  private readonly leases: TraceLease[] = [];
  private readonly resourceTypes = new Map<string, number>();
  /** Lists of machines that have been checked; many leases share one. */
  private readonly sound = new WeakSet<TraceLease['machines']>();
  private lastArrival = 0;
  private readonly firstId: number;
  private readonly ordered: boolean;
  private sorted = true;

  constructor(
    private readonly file: string,
    options: ReadOptions,
    /** The treatment of leases out of order. Logs are in order by definition: a line out of order is broken. */
    private readonly outOfOrder: 'refuse' | 'sort' = 'refuse',
  ) {
    this.firstId = options.firstId ?? 1;
    this.ordered = options.ordered ?? true;
  }

  get nextId(): number {
    return this.firstId + this.leases.length;
  }

  usesType(type: string, line: number): void {
    if (!this.resourceTypes.has(type)) this.resourceTypes.set(type, line);
  }

  add(line: number, draft: Draft): void {
    const wrong = this.whatIsWrong(draft);
    if (wrong !== null) throw new TraceError('INVALID_VALUE', this.file, line, wrong);
    if (draft.arrival < this.lastArrival) this.meetDisorder(line, draft.arrival);
    this.lastArrival = draft.arrival;
    this.leases.push({ id: this.nextId, deadline: null, ...draft });
  }

  private whatIsWrong({ arrival, duration, image, machines }: Draft): string | null {
    if (duration <= 0) return 'the duration is 0, expected a longer one';
    for (const [what, time] of [
      ['duration', duration],
      ['arrival', arrival],
    ] as const) {
      if (time > maxMillis) return `the ${what} is ${time / 1000} s, expected at most 366,000 days`;
    }
    if (image?.name.trim() === '') return 'the disk image has no name, expected one';
    if (this.sound.has(machines)) return null;
    this.sound.add(machines);
    const nothing = machines.findIndex((amounts) =>
      Object.values(amounts)
        .flat()
        .every((amount) => amount === 0),
    );
    return nothing < 0 ? null : `machine ${nothing + 1} asks for nothing, expected some of a resource`;
  }

  private meetDisorder(line: number, arrival: Millis): void {
    const detail =
      `the request arrives at ${arrival / 1000} s, before the one above it ` +
      `(${this.lastArrival / 1000} s): expected requests in order of arrival`;
    if (this.ordered && this.outOfOrder === 'refuse') {
      throw new TraceError('OUT_OF_ORDER', this.file, line, detail);
    }
    if (this.ordered && this.sorted) this.warnings.push(`${this.file}:${line}: ${detail} (they have been sorted)`);
    this.sorted = false;
  }

  /** `ifEmpty`: what was expected of a trace without leases. */
  finish(
    parts: {
      name: string | null;
      description?: string | null;
      site?: SiteSpec | null;
      attributes?: Record<string, string>;
    },
    lastLine: number,
    ifEmpty: string,
  ): ReadTrace {
    if (this.leases.length === 0) {
      throw new TraceError('EMPTY_TRACE', this.file, lastLine, `the trace has no leases, expected ${ifEmpty}`);
    }
    return {
      workload: {
        name: parts.name,
        description: parts.description ?? null,
        site: parts.site ?? null,
        leases: this.sorted ? this.leases : this.leases.sort((a, b) => a.arrival - b.arrival),
        attributes: parts.attributes ?? {},
      },
      resourceTypes: this.resourceTypes,
      warnings: this.warnings,
    };
  }
}
