/** Drives hosts that run libvirt, through `virsh` (docs/adapters.md). */
import { readFileSync } from 'node:fs';
import type { Logger } from 'pino';
import type {
  ActionCall,
  ActionResult,
  Adapter,
  HostedMachine,
  HostSite,
  MachinePlace,
  MachineStatus,
} from '../../engine/ports.ts';
import { Jobs } from '../jobs.ts';
import { defaultTemplate, type MachineTarget, nameOf, testTemplate } from './domain.ts';
import { listen } from './events.ts';
import { type Host, openHost } from './host.ts';
import { FileKeeper } from './machine-files.ts';
import { Machines } from './machines.ts';
import { Migration } from './migration.ts';
import { Operations } from './operations.ts';
import type { LibvirtOptions } from './options.ts';

/** `signal` aborts when the server stops; `hurry` aborts when no call waits any more. */
type Work = (host: Host, target: MachineTarget, signal: AbortSignal, hurry: AbortSignal) => Promise<ActionResult>;

export class LibvirtAdapter implements Adapter {
  readonly name = 'libvirt';
  readonly remembers = true;
  /** Nodes by number, hostname and address. */
  private readonly hosts = new Map<string, Promise<Host>>();
  private readonly jobs = new Jobs();
  private readonly closing = new AbortController();
  private readonly machines: Machines;
  private readonly operations: Operations;
  private readonly migration: Migration;

  constructor(
    private readonly options: LibvirtOptions,
    private readonly site: HostSite,
    private readonly log: Logger,
  ) {
    const builtIn = options.domainType === 'test' ? testTemplate : defaultTemplate;
    const template = options.template === null ? builtIn : readFileSync(options.template, 'utf8');
    const files = new FileKeeper(options, site);
    this.machines = new Machines(options.namePrefix);
    this.operations = new Operations(options, template, this.machines, files);
    this.migration = new Migration(options, this.machines, files, this.operations);
  }

  prepare(call: ActionCall): Promise<ActionResult> {
    return this.act('prepare', call, (host, target, signal) => this.operations.prepare(host, target, signal));
  }

  start(call: ActionCall): Promise<ActionResult> {
    return this.act('start', call, (host, target, signal) => this.operations.start(host, target, signal));
  }

  shutdown(call: ActionCall): Promise<ActionResult> {
    return this.act('shutdown', call, (...args) => this.operations.shutdown(...args));
  }

  suspend(call: ActionCall): Promise<ActionResult> {
    return this.act('suspend', call, (host, target, signal) => this.operations.suspend(host, target, signal));
  }

  resume(call: ActionCall): Promise<ActionResult> {
    return this.act('resume', call, (host, target, signal) => this.operations.resume(host, target, signal));
  }

  migrate(call: ActionCall): Promise<ActionResult> {
    return this.act('migrate', call, async (host, target, signal) => {
      if (target.toNode === null) throw new Error('a migration needs a node to go to');
      return this.migration.migrate(host, await this.host(target.toNode), target, signal);
    });
  }

  destroy(call: ActionCall): Promise<ActionResult> {
    return this.act('destroy', call, (host, target, signal) => this.operations.destroy(host, target, signal));
  }

  async inspect(place: MachinePlace, signal: AbortSignal): Promise<MachineStatus> {
    return this.machines.status(await this.host(place.node), nameOf(this.options.namePrefix, place), signal);
  }

  readonly list = async (node: number, signal: AbortSignal): Promise<readonly HostedMachine[]> =>
    this.machines.list(await this.host(node), signal);

  readonly watch = (onChange: (place: MachinePlace) => void, signal: AbortSignal): void => {
    const until = AbortSignal.any([signal, this.closing.signal]);
    for (const { number } of this.site.nodes())
      void this.host(number).then(
        (host) => listen(host, this.options.namePrefix, onChange, this.log, until),
        (error: unknown) => this.log.warn({ node: number, err: error }, 'libvirt cannot be listened to'),
      );
  };

  forget(): void {
    this.jobs.forget();
  }

  async close(): Promise<void> {
    this.closing.abort();
    await this.jobs.close();
    this.machines.close();
  }

  /** Operations in progress continue when no call waits for them, and are aborted only when the server stops. */
  private act(operation: string, call: ActionCall, work: Work): Promise<ActionResult> {
    const target: MachineTarget = { ...call.target, lease: call.lease };
    return this.jobs.run(operation, call, async (hurry) =>
      work(await this.host(target.node), target, this.closing.signal, hurry),
    );
  }

  private host(number: number): Promise<Host> {
    const node = this.site.nodes().find((each) => each.number === number);
    if (!node) return Promise.reject(new Error(`the site has no node ${number}`));
    // The address of a node may change while the server runs.
    const key = JSON.stringify([number, node.hostname, node.address]);
    let host = this.hosts.get(key);
    if (!host) {
      host = openHost(node, this.options);
      this.hosts.set(key, host);
      host.catch(() => this.hosts.delete(key));
    }
    return host;
  }
}
