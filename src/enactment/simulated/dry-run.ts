import type { Logger } from 'pino';
import type { ActionKind } from '../../core/index.ts';
import type { ActionCall, ActionResult } from '../../engine/ports.ts';
import { SimulatedAdapter } from './adapter.ts';

/** Logs what it would do, and does nothing. */
export class DryRunAdapter extends SimulatedAdapter {
  override readonly name = 'dry-run';

  constructor(private readonly log: Logger) {
    super();
  }

  protected override async act(kind: ActionKind, call: ActionCall): Promise<ActionResult> {
    const result = await super.act(kind, call);
    const { leaseId, machine, node, toNode, capacity, image } = call.target;
    const fields = {
      lease: leaseId,
      action: call.actionId,
      machine,
      node,
      toNode,
      capacity,
      image: image?.name,
    };
    if (result.status === 'failed')
      this.log.warn({ ...fields, reason: result.reason }, `would fail to ${kind.toLowerCase()}`);
    else this.log.info(fields, `would ${kind.toLowerCase()}`);
    return result;
  }
}
