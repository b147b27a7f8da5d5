import type { Logger } from 'pino';
import type { NodeStateRecord } from '../../core/index.ts';
import { type ActionReport, noReport } from './report.ts';

export interface HealthOptions {
  /** Failures in a row after which a host is taken to be down. */
  readonly maxFailures: number;
  readonly log: Logger;
  readonly report: (report: ActionReport) => void;
  /** A host answers again: what waits to be repeated there is repeated now. */
  readonly onAnswer: (node: number) => void;
  /** Whether nothing is left on the node that is still to be removed. */
  readonly isSettled: (node: number) => boolean;
}

/** Which hosts answer. One that is down is used again only after everything that was lost with it has been removed. */
export class HostHealth {
  private readonly failures = new Map<number, number>();
  /** Nodes that are DOWN because their host does not answer, also since before the server was started. */
  private readonly down = new Set<number>();

  constructor(private readonly options: HealthOptions) {}

  /** Hosts that do not answer now. */
  get unreachable(): number {
    return this.failures.size;
  }

  /** Nodes that are DOWN because their host does not answer. */
  get downNodes(): readonly number[] {
    return [...this.down];
  }

  /** States of nodes as they are stored: operators may have changed them. */
  follow(states: readonly NodeStateRecord[]): void {
    for (const { number, state, cause } of states) {
      if (state === 'DOWN' && cause?.code === 'HOST') this.down.add(number);
      else this.down.delete(number);
    }
  }

  /** A host could not be reached. */
  failed(node: number, error: unknown): void {
    const { log, maxFailures, report } = this.options;
    const count = (this.failures.get(node) ?? 0) + 1;
    this.failures.set(node, count);
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

  /** Another process may watch the hosts from now on. */
  clear(): void {
    this.failures.clear();
    this.down.clear();
  }
}
