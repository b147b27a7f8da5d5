import type { Logger } from 'pino';
import type { Instant, Millis, NodeStateRecord } from '../../core/index.ts';
import type { HostFacts } from './host-facts.ts';
import { type ActionReport, noReport } from './report.ts';

export interface HealthOptions {
  /** Number of consecutive failures after which a host is considered DOWN. */
  readonly maxFailures: number;
  /** Calls that fail within this time of a counted failure (ms) were made beside it, and count no further. */
  readonly apart: Millis;
  /** Monotonic. */
  readonly now: () => Millis;
  /** The clock of the site. */
  readonly clock: () => Instant;
  readonly log: Logger;
  readonly report: (report: ActionReport) => void;
  /** A host answers again: pending retries run now. */
  readonly onAnswer: (node: number) => void;
  /** Whether everything that must be removed from the node is gone. */
  readonly isSettled: (node: number) => boolean;
}

interface Failures {
  readonly count: number;
  /** Of the last one that was counted; monotonic. */
  readonly at: Millis;
  readonly since: Instant;
  readonly error: string;
}

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Tracks which hosts answer. A host that was DOWN is used again only after the machines lost with it are removed. */
export class HostHealth {
  private readonly failures = new Map<number, Failures>();
  /**
   * Nodes that are DOWN because their host does not answer, including those from before the server start, and since
   * when.
   */
  private readonly down = new Map<number, Instant>();
  private readonly answers = new Map<number, Instant>();

  constructor(private readonly options: HealthOptions) {}

  /** Hosts that currently do not answer. */
  get unreachable(): number {
    return this.failures.size;
  }

  /** Nodes that are DOWN because their host does not answer. */
  get downNodes(): readonly number[] {
    return [...this.down.keys()];
  }

  of(node: number): Pick<HostFacts, 'answeredAt' | 'failures' | 'unreachableSince' | 'error'> {
    const failures = this.failures.get(node);
    const answeredAt = this.answers.get(node) ?? null;
    // A host that answers again stays DOWN until the machines that were lost with it are removed.
    const since = failures || answeredAt === null ? [failures?.since, this.down.get(node)] : [];
    const instants = since.filter((each) => each !== undefined);
    return {
      answeredAt,
      failures: failures?.count ?? 0,
      unreachableSince: instants.length === 0 ? null : Math.min(...instants),
      error: failures?.error ?? null,
    };
  }

  /** Updates from stored node states, which operators may have changed. */
  follow(states: readonly NodeStateRecord[]): void {
    for (const { number, state, cause } of states) {
      if (state === 'DOWN' && cause?.code === 'HOST') this.down.set(number, cause.at);
      else this.down.delete(number);
    }
  }

  /** A host is unreachable. */
  failed(node: number, error: unknown): void {
    const { apart, clock, log, maxFailures, now, report } = this.options;
    const before = this.failures.get(node);
    if (before && now() - before.at < apart) return;
    const count = (before?.count ?? 0) + 1;
    const since = before?.since ?? clock();
    this.failures.set(node, { count, at: now(), since, error: textOf(error) });
    if (count === 1) log.warn({ node, err: error }, 'a host does not answer');
    if (count < maxFailures || this.down.has(node)) return;
    this.down.set(node, since);
    log.error({ node, failures: count }, 'a host does not answer and is marked DOWN');
    const message = `its host does not answer: ${textOf(error)}`;
    report({ ...noReport, nodeState: { node, state: 'DOWN', code: 'HOST', message } });
  }

  answered(node: number): void {
    const { clock, isSettled, log, onAnswer, report } = this.options;
    this.answers.set(node, clock());
    if (this.failures.delete(node)) {
      log.info({ node }, 'a host answers again');
      onAnswer(node);
    }
    if (!this.down.has(node) || !isSettled(node)) return;
    this.down.delete(node);
    log.info({ node }, 'a host is reconciled and used again');
    const message = 'its host answers again';
    report({ ...noReport, nodeState: { node, state: 'UP', code: 'HOST', message } });
  }

  /** Another process may monitor the hosts from now on. */
  clear(): void {
    this.failures.clear();
    this.down.clear();
    this.answers.clear();
  }
}
