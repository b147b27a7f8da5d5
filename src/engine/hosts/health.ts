import type { Logger } from 'pino';
import type { Millis, NodeStateRecord } from '../../core/index.ts';
import { type ActionReport, noReport } from './report.ts';

export interface HealthOptions {
  /** Number of consecutive failures after which a host is considered DOWN. */
  readonly maxFailures: number;
  /** Calls that fail within this time of a counted failure (ms) were made beside it, and count no further. */
  readonly apart: Millis;
  /** Monotonic. */
  readonly now: () => Millis;
  readonly log: Logger;
  readonly report: (report: ActionReport) => void;
  /** A host answers again: pending retries run now. */
  readonly onAnswer: (node: number) => void;
  /** Whether everything that must be removed from the node is gone. */
  readonly isSettled: (node: number) => boolean;
}

/** Tracks which hosts answer. A host that was DOWN is used again only after the machines lost with it are removed. */
export class HostHealth {
  private readonly failures = new Map<number, { readonly count: number; readonly at: Millis }>();
  /** Nodes that are DOWN because their host does not answer, including those from before the server start. */
  private readonly down = new Set<number>();

  constructor(private readonly options: HealthOptions) {}

  /** Hosts that currently do not answer. */
  get unreachable(): number {
    return this.failures.size;
  }

  /** Nodes that are DOWN because their host does not answer. */
  get downNodes(): readonly number[] {
    return [...this.down];
  }

  /** Updates from stored node states, which operators may have changed. */
  follow(states: readonly NodeStateRecord[]): void {
    for (const { number, state, cause } of states) {
      if (state === 'DOWN' && cause?.code === 'HOST') this.down.add(number);
      else this.down.delete(number);
    }
  }

  /** A host is unreachable. */
  failed(node: number, error: unknown): void {
    const { apart, log, maxFailures, now, report } = this.options;
    const before = this.failures.get(node);
    if (before && now() - before.at < apart) return;
    const count = (before?.count ?? 0) + 1;
    this.failures.set(node, { count, at: now() });
    if (count === 1) log.warn({ node, err: error }, 'a host does not answer');
    if (count < maxFailures || this.down.has(node)) return;
    this.down.add(node);
    log.error({ node, failures: count }, 'a host does not answer and is marked DOWN');
    const message = `its host does not answer: ${error instanceof Error ? error.message : String(error)}`;
    report({ ...noReport, nodeState: { node, state: 'DOWN', code: 'HOST', message } });
  }

  answered(node: number): void {
    const { isSettled, log, onAnswer, report } = this.options;
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
  }
}
