import type { ActionResult, Adapter, HostedMachine, MachinePlace } from '../engine/ports.ts';

export interface HostCall {
  /** The adapter's name. */
  readonly adapter: string;
  readonly operation: Operation;
  /** `error`: the call threw and will be repeated. */
  readonly outcome: 'done' | 'pending' | 'failed' | 'error';
  readonly seconds: number;
}

const actions = ['prepare', 'start', 'shutdown', 'suspend', 'resume', 'migrate', 'destroy'] as const;
type Operation = (typeof actions)[number] | 'inspect' | 'list';

const outcomes: readonly HostCall['outcome'][] = ['done', 'pending', 'failed'];

/** Custom adapters may return anything. */
const outcomeOf = (result: ActionResult | undefined | null): HostCall['outcome'] =>
  outcomes.find((each) => each === result?.status) ?? 'error';

/** Wraps an adapter to report the duration of each call. */
export function measured(adapter: Adapter, observe: (call: HostCall) => void): Adapter {
  const timed = async <T>(
    operation: Operation,
    call: () => Promise<T>,
    outcome: (result: T) => HostCall['outcome'] = () => 'done',
  ): Promise<T> => {
    const began = performance.now();
    const tell = (ended: HostCall['outcome']): void =>
      observe({
        adapter: adapter.name,
        operation,
        outcome: ended,
        seconds: (performance.now() - began) / 1_000,
      });
    try {
      const result = await call();
      tell(outcome(result));
      return result;
    } catch (error) {
      tell('error');
      throw error;
    }
  };
  const methods = Object.fromEntries(
    actions.map((operation): [string, Adapter['start']] => [
      operation,
      (call) => timed(operation, async () => adapter[operation](call), outcomeOf),
    ]),
  ) as Pick<Adapter, (typeof actions)[number]>;
  const { admits, list, watch } = adapter;
  return {
    ...methods,
    name: adapter.name,
    remembers: adapter.remembers,
    inspect: (place: MachinePlace, signal) => timed('inspect', async () => adapter.inspect(place, signal)),
    list:
      list &&
      ((node: number, signal): Promise<readonly HostedMachine[]> =>
        timed('list', async () => list.call(adapter, node, signal))),
    admits: admits && ((node: number, signal) => admits.call(adapter, node, signal)),
    on: (node) => adapter.on?.(node) ?? adapter,
    watch: watch && ((onChange, signal) => watch.call(adapter, onChange, signal)),
    forget: () => adapter.forget(),
    close: () => adapter.close(),
  };
}
