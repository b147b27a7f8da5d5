import type { Millis, SiteSpec } from '../../core/index.ts';
import { TraceError } from '../errors.ts';
import type { TraceLease, Workload } from '../workload.ts';
import { Interner } from './values.ts';

/** How a trace is read, whatever its format. */
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

/** What a reader makes of a file. */
export interface ReadTrace {
  readonly workload: Workload;
  /** Resource types that leases ask for, with the line where each is first named. */
  readonly resourceTypes: ReadonlyMap<string, number>;
  /** Things that are not wrong, but that a user should know. */
  readonly warnings: readonly string[];
}

/** Gathers a trace's leases: numbers them and checks what holds in every format. */
export class LeaseCollector {
  readonly interner = new Interner();
  readonly warnings: string[] = [];
  private readonly leases: TraceLease[] = [];
  private readonly resourceTypes = new Map<string, number>();
  private lastArrival = 0;
  private readonly firstId: number;
  private readonly ordered: boolean;
  private sorted = true;

  constructor(
    private readonly file: string,
    options: ReadOptions,
    /** What becomes of leases out of order. Logs are in order by definition: a line out of order is a broken one. */
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

  add(line: number, draft: Omit<TraceLease, 'id'>): void {
    if (draft.duration <= 0) {
      throw new TraceError('INVALID_VALUE', this.file, line, 'the duration is 0, expected a longer one');
    }
    if (draft.arrival < this.lastArrival) this.meetDisorder(line, draft.arrival);
    this.lastArrival = draft.arrival;
    this.leases.push({ id: this.nextId, ...draft });
  }

  private meetDisorder(line: number, arrival: Millis): void {
    const detail =
      `the request arrives at ${arrival / 1000} s, before the one above it ` +
      `(${this.lastArrival / 1000} s): expected requests in order of arrival`;
    if (this.ordered && this.outOfOrder === 'refuse') {
      throw new TraceError('OUT_OF_ORDER', this.file, line, detail);
    }
    if (this.ordered && this.sorted)
      this.warnings.push(`${this.file}:${line}: ${detail} (they have been sorted)`);
    this.sorted = false;
  }

  /** `ifEmpty` says what was expected where there is no lease at all. */
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
      throw new TraceError(
        'EMPTY_TRACE',
        this.file,
        lastLine,
        `the trace has no leases, expected ${ifEmpty}`,
      );
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
