import type { Logger } from 'pino';
import type { NodeStateRecord } from '../../core/index.ts';
import { type ActionReport, noReport } from './report.ts';

export interface AdmissionOptions {
  readonly log: Logger;
  readonly report: (report: ActionReport) => void;
}

/** Drains nodes while their hosts take no new machines, according to the host manager. */
export class Admission {
  /** Nodes that are not UP. */
  private readonly states = new Map<number, NodeStateRecord>();

  constructor(private readonly options: AdmissionOptions) {}

  /** Updates from stored node states. */
  follow(states: readonly NodeStateRecord[]): void {
    for (const each of states) {
      if (each.state === 'UP') this.states.delete(each.number);
      else this.states.set(each.number, each);
    }
  }

  /** Why the host takes none; null: it does. A node that is not UP for another reason stays as it is. */
  told(node: number, reason: string | null): void {
    const { log, report } = this.options;
    const present = this.states.get(node);
    const isOurs = present?.state === 'DRAINING' && present.cause?.code === 'HOST_DISABLED';
    if (reason !== null && !present) {
      log.warn({ node, reason }, 'a host takes no new machines, and its node is drained');
      report({ ...noReport, nodeState: { node, state: 'DRAINING', code: 'HOST_DISABLED', message: reason } });
    } else if (reason === null && isOurs) {
      log.info({ node }, 'a host takes new machines again');
      const message = 'its host takes new machines again';
      report({ ...noReport, nodeState: { node, state: 'UP', code: 'HOST_DISABLED', message } });
    }
  }
}
