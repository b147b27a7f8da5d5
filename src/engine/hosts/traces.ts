/** Spans of actions and of the calls that they consist of, in the traces of the leases that they are for. */
import type { ActionRecord } from '../../core/index.ts';
import type { ActionCall, ActionOutcome, ActionResult, Adapter } from '../ports.ts';
import type { LeaseTraces, Span, Tracing } from '../tracing.ts';

type Operation = 'prepare' | 'start' | 'shutdown' | 'suspend' | 'resume' | 'migrate' | 'destroy';

export class ActionTraces {
  /** Of actions that are not finished. */
  private readonly spans = new Map<number, Span>();

  constructor(
    private readonly tracing: Tracing,
    private readonly leases: LeaseTraces,
  ) {}

  /** They are dispatched now. */
  begin(actions: readonly ActionRecord[]): void {
    for (const { id, kind, leaseId } of actions) {
      const parent = this.leases.of(leaseId);
      if (parent === null || this.spans.has(id)) continue;
      const attributes = { 'leasegraph.action': id, 'leasegraph.lease': leaseId };
      this.spans.set(id, this.tracing.begin(`action ${kind}`, { parent, attributes }));
    }
  }

  end({ actionId, attempts, error, state }: ActionOutcome): void {
    if (state === 'PENDING') return;
    const attributes = { 'leasegraph.attempts': attempts };
    this.spans.get(actionId)?.end({ attributes, error: state === 'FAILED' ? error : null });
    this.spans.delete(actionId);
  }

  /** The actions are another process's now. */
  clear(): void {
    for (const span of this.spans.values()) span.end();
    this.spans.clear();
  }

  /** The adapter with a span for each call. */
  traced(adapter: Adapter): Adapter {
    const traced = (operation: Operation) => (call: ActionCall) =>
      this.call(operation, call, (same) => adapter[operation](same));
    return {
      ...{ name: adapter.name, remembers: adapter.remembers },
      prepare: traced('prepare'),
      start: traced('start'),
      shutdown: traced('shutdown'),
      suspend: traced('suspend'),
      resume: traced('resume'),
      migrate: traced('migrate'),
      destroy: traced('destroy'),
      inspect: (place, signal) => adapter.inspect(place, signal),
      list: adapter.list && ((node, signal) => adapter.list?.(node, signal) ?? Promise.resolve([])),
      watch: adapter.watch && ((onChange, signal) => adapter.watch?.(onChange, signal)),
      forget: () => adapter.forget(),
      close: () => adapter.close(),
    };
  }

  private async call(
    operation: Operation,
    call: ActionCall,
    carryOut: (call: ActionCall) => Promise<ActionResult>,
  ): Promise<ActionResult> {
    const parent = this.spans.get(call.actionId)?.context;
    if (parent === undefined) return carryOut(call);
    const { machine, node } = call.target;
    const span = this.tracing.begin(`host ${operation}`, {
      parent,
      attributes: { 'leasegraph.machine': machine, 'leasegraph.node': node },
    });
    try {
      const result = await carryOut(call);
      const error = result.status === 'failed' ? result.reason : null;
      span.end({ attributes: { 'leasegraph.status': result.status }, error });
      return result;
    } catch (error) {
      span.end({ error: error instanceof Error ? error.message : String(error) });
      throw error;
    }
  }
}
