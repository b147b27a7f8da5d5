/** Trace spans of actions and of their adapter calls, within the traces of their leases. */
import type { ActionRecord } from '../../core/index.ts';
import type { ActionCall, ActionOutcome, ActionResult, Adapter } from '../ports.ts';
import type { LeaseTraces, Span, Tracing } from '../tracing.ts';

type Operation = 'prepare' | 'start' | 'shutdown' | 'suspend' | 'resume' | 'migrate' | 'destroy';

export class ActionTraces {
  /** Spans of unfinished actions. */
  private readonly spans = new Map<number, Span>();

  constructor(
    private readonly tracing: Tracing,
    private readonly leases: LeaseTraces,
  ) {}

  /** The actions are dispatched. */
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

  /** Another process is responsible for the actions. */
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
      on: (node) => adapter.on?.(node) ?? adapter,
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
