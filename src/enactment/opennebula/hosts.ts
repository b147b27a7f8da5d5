/** The hosts of a front end, as of the last query, and the meaning of their states for nodes. */
import type { Logger } from 'pino';
import type { Millis } from '../../core/index.ts';
import { type HostNode, type HostSite, HostUnreachable } from '../../engine/ports.ts';
import type { OneHost, OpenNebulaClient } from './client.ts';
import { hostCondition, hostStateName } from './states.ts';

export interface HostPoolOptions {
  /** Time for which the state of usable hosts is cached. */
  readonly hostRefresh: Millis;
  /** The same for others. */
  readonly pollInterval: Millis;
}

export class HostPool {
  private known: { readonly at: Millis; readonly byName: ReadonlyMap<string, OneHost> } | null = null;
  /** The query in progress, shared by all callers. */
  private asking: Promise<void> | null = null;
  /** The last warning about hosts that are not nodes and about hosts with less capacity than their node. */
  private said = '';

  constructor(
    private readonly options: HostPoolOptions,
    private readonly client: OpenNebulaClient,
    private readonly site: HostSite,
    private readonly log: Logger,
  ) {}

  /** The host of a node, by hostname or address; undefined if OpenNebula has none. */
  async find(number: number, signal: AbortSignal): Promise<OneHost | undefined> {
    const node = this.nodeOf(number);
    const host = this.hostOf(node);
    const isGood = host !== undefined && hostCondition(host.state) === 'USABLE';
    const { hostRefresh, pollInterval } = this.options;
    const limit = isGood ? hostRefresh : Math.min(hostRefresh, pollInterval);
    if (!this.known || Date.now() - this.known.at >= limit) {
      this.asking ??= this.refresh().finally(() => {
        this.asking = null;
      });
      await this.asking;
      signal.throwIfAborted();
    }
    return this.hostOf(node);
  }

  /** The host of a node. Rejects with HostUnreachable if OpenNebula has none or has lost it. */
  async reach(number: number, signal: AbortSignal): Promise<OneHost> {
    const host = await this.find(number, signal);
    const { address, hostname } = this.nodeOf(number);
    if (!host) throw new HostUnreachable(`OpenNebula has no host called ${hostname} or ${address}`);
    if (hostCondition(host.state) === 'LOST')
      throw new HostUnreachable(`OpenNebula's host ${host.name} is in the state ${hostStateName(host.state)}`);
    return host;
  }

  forget(): void {
    this.known = null;
  }

  private nodeOf(number: number): HostNode {
    const node = this.site.nodes().find((each) => each.number === number);
    if (!node) throw new Error(`the site has no node ${number}`);
    return node;
  }

  private hostOf({ address, hostname }: HostNode): OneHost | undefined {
    return this.known?.byName.get(hostname) ?? this.known?.byName.get(address);
  }

  private async refresh(): Promise<void> {
    const hosts = await this.client.hosts(new AbortController().signal);
    this.known = { at: Date.now(), byName: new Map(hosts.map((host) => [host.name, host])) };
    const nodes = this.site.nodes();
    const names = new Set(nodes.flatMap(({ address, hostname }) => [hostname, address]));
    const strangers = hosts
      .filter(({ name }) => !names.has(name))
      .map(({ capacity, name }) => ({ hostname: name, capacity }));
    const short = nodes.flatMap((node) => {
      const host = this.hostOf(node);
      return host && isShort(node, host) ? [{ node: node.number, host: host.capacity, plan: node.capacity }] : [];
    });
    const found = JSON.stringify([strangers, short]);
    if (found === this.said) return;
    this.said = found;
    if (strangers.length > 0) this.log.info({ hosts: strangers }, 'OpenNebula has hosts that are no nodes of the site');
    if (short.length > 0) this.log.warn({ nodes: short }, 'OpenNebula has hosts with less capacity than their nodes');
  }
}

/** Whether a host has less capacity than its node. A host that was never monitored is not compared. */
function isShort(node: HostNode, { capacity }: OneHost): boolean {
  return (['CPU', 'Memory'] as const).some((type) => {
    const planned = [node.capacity[type] ?? 0].flat().reduce((sum, each) => sum + each, 0);
    return capacity[type] > 0 && planned > capacity[type];
  });
}
