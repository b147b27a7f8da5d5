/** Combines several adapters, each of which drives its own nodes. */
import type {
  ActionCall,
  ActionResult,
  Adapter,
  HostedMachine,
  HostNode,
  HostSite,
  MachinePlace,
  MachineStatus,
} from '../engine/ports.ts';

/** The nodes that an adapter drives: those that match all given criteria. */
export interface NodeChoice {
  /** `*` matches any characters. */
  readonly hostnames?: readonly string[];
  readonly labels?: Readonly<Record<string, string>>;
}

export interface AdapterPart {
  readonly choice: NodeChoice;
  readonly adapter: Adapter;
}

type Verb = 'prepare' | 'start' | 'shutdown' | 'suspend' | 'resume' | 'migrate' | 'destroy';

export class RoutedAdapter implements Adapter {
  readonly name: string;
  /** True if any part does; `on` tells which. */
  readonly remembers: boolean;

  constructor(
    private readonly parts: readonly AdapterPart[],
    private readonly site: HostSite,
  ) {
    this.name = [...new Set(parts.map(({ adapter }) => adapter.name))].join('+');
    this.remembers = parts.some(({ adapter }) => adapter.remembers);
  }

  prepare(call: ActionCall): Promise<ActionResult> {
    return this.pass('prepare', call);
  }

  start(call: ActionCall): Promise<ActionResult> {
    return this.pass('start', call);
  }

  shutdown(call: ActionCall): Promise<ActionResult> {
    return this.pass('shutdown', call);
  }

  suspend(call: ActionCall): Promise<ActionResult> {
    return this.pass('suspend', call);
  }

  resume(call: ActionCall): Promise<ActionResult> {
    return this.pass('resume', call);
  }

  async migrate(call: ActionCall): Promise<ActionResult> {
    const { node, toNode } = call.target;
    if (toNode !== null && this.partFor(node) !== this.partFor(toNode)) {
      const reason = `nodes ${node} and ${toNode} are driven by different adapters, between which nothing can be moved`;
      return { status: 'failed', reason };
    }
    return this.pass('migrate', call);
  }

  destroy(call: ActionCall): Promise<ActionResult> {
    return this.pass('destroy', call);
  }

  async inspect(place: MachinePlace, signal: AbortSignal): Promise<MachineStatus> {
    return this.adapterOf(place.node).inspect(place, signal);
  }

  /** Present if any part supports it; `on` tells which. */
  get list(): Adapter['list'] {
    if (!this.parts.some(({ adapter }) => adapter.list)) return undefined;
    return async (node, signal): Promise<readonly HostedMachine[]> =>
      (await this.adapterOf(node).list?.(node, signal)) ?? [];
  }

  /** Present if any part supports it; `on` tells which. */
  get admits(): Adapter['admits'] {
    if (!this.parts.some(({ adapter }) => adapter.admits)) return undefined;
    return async (node, signal): Promise<string | null> => (await this.adapterOf(node).admits?.(node, signal)) ?? null;
  }

  readonly on = (node: number): Pick<Adapter, 'remembers' | 'list' | 'admits'> => {
    const adapter = this.partFor(node)?.adapter;
    return adapter?.on?.(node) ?? adapter ?? { remembers: false };
  };

  readonly watch = (onChange: (place: MachinePlace) => void, signal: AbortSignal): void => {
    this.each((adapter) => adapter.watch?.(onChange, signal));
  };

  forget(): void {
    this.each((adapter) => adapter.forget());
  }

  async close(): Promise<void> {
    const closed = await Promise.allSettled(this.parts.map(async ({ adapter }) => adapter.close()));
    throwFirst(closed.flatMap((each) => (each.status === 'rejected' ? [each.reason] : [])));
  }

  /** Calls each part, even if another one throws; then throws the first error. */
  private each(use: (adapter: Adapter) => void): void {
    const errors: unknown[] = [];
    for (const { adapter } of this.parts) {
      try {
        use(adapter);
      } catch (error) {
        errors.push(error);
      }
    }
    throwFirst(errors);
  }

  private async pass(verb: Verb, call: ActionCall): Promise<ActionResult> {
    const part = this.partFor(call.target.node);
    if (!part) return { status: 'failed', reason: `no adapter drives node ${call.target.node}` };
    return part.adapter[verb](call);
  }

  private adapterOf(node: number): Adapter {
    const part = this.partFor(node);
    if (!part) throw new Error(`no adapter drives node ${node}`);
    return part.adapter;
  }

  private partFor(number: number): AdapterPart | undefined {
    const node = this.site.nodes().find((each) => each.number === number);
    return node && this.parts.find(({ choice }) => isChosen(choice, node));
  }
}

function throwFirst(errors: readonly unknown[]): void {
  if (errors.length > 0) throw errors[0];
}

/** Whether an adapter with this selector drives the node. Without a selector it drives all nodes. */
export function isChosen(choice: NodeChoice | undefined, { hostname, labels }: HostNode): boolean {
  const { hostnames = ['*'], labels: wanted = {} } = choice ?? {};
  const isNamed = hostnames.some((pattern) => fits(pattern, hostname));
  return isNamed && Object.entries(wanted).every(([key, value]) => labels[key] === value);
}

function fits(pattern: string, name: string): boolean {
  const parts = pattern.split('*').map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`, 's').test(name);
}
