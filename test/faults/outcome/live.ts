/** Runs a scenario on servers: the same requests and commands through GraphQL, and what came of them. */
import { setTimeout as sleep } from 'node:timers/promises';
import { encodeGlobalId } from '../../../src/engine/ports.ts';
import type { Command } from '../../../src/simulation/commands.ts';
import type { CommandResult } from '../../../src/simulation/result.ts';
import type { TraceLease } from '../../../src/simulation/workload.ts';
import { ask } from '../client.ts';
import type { Random } from '../random.ts';
import type { Server } from '../server.ts';
import { metrics, roleOf } from '../world.ts';
import type { HeldClock } from './held-clock.ts';
import { answered, type Outcome, outcomeOf } from './outcome.ts';
import { type Scenario, type Simulated, simulated } from './scenario.ts';

/** Site seconds per second. */
export const speed = 60;

/** When a server is killed: before a command, while it is under way, or after its answer. */
type Kill = 'before' | 'during' | 'after' | null;

interface Payload {
  readonly userErrors: readonly { readonly code: string; readonly message: string }[];
  readonly maintenance?: { readonly id: string } | null;
}

export class LiveOutcome {
  kills = 0;
  private start = 0;
  /** The instant of the wall clock from which the site's clock counts. */
  private origin = 0;
  private readonly maintenance = new Map<string, string>();

  constructor(
    private readonly servers: readonly Server[],
    private readonly clock: HeldClock,
    private readonly scenario: Scenario,
    private readonly random: Random,
    /** The share of requests and commands near which a server is killed. */
    private readonly killing: number,
    private readonly maxKills: number,
  ) {}

  /** Carries the scenario out. Returns its outcome, and that of the simulation. */
  async run(): Promise<{ readonly live: Outcome; readonly expected: Simulated }> {
    await this.findStart();
    const expected = simulated(this.scenario, this.start);
    const { leases } = this.scenario;
    const results: CommandResult[] = [];
    for (const at of expected.instants) {
      await this.reach(at);
      await this.settle();
      const lease = leases.find(({ arrival }) => arrival === at);
      const command = expected.commands.find((each) => each.at === at);
      if (lease) await this.withKill(true, (url) => this.request(url, lease));
      if (command) {
        // What has no key cannot be repeated when its answer is lost.
        const isRepeatable = ['update', 'maintenance', 'node'].includes(command.kind);
        const payload = await this.withKill(isRepeatable, (url) => this.give(url, command));
        const [error] = payload.userErrors;
        results.push({
          at: at / 1_000,
          accepted: !error,
          code: error?.code ?? null,
          ...(error && { message: error.message }),
        });
      }
      await this.settle();
    }
    return { live: await outcomeOf(await this.url(), this.start, results), expected };
  }

  /** Holds the clock, and has the scenario begin a little later. */
  private async findStart(): Promise<void> {
    const url = await this.url();
    const held = Date.now() + 100;
    this.clock.holdAt(held);
    await sleep(150);
    const { serverTime } = await answered<{ serverTime: string }>(url, '{ serverTime }', {});
    const site = Date.parse(serverTime);
    // site = origin + (held - origin) * speed
    this.origin = (speed * held - site) / (speed - 1);
    if (!Number.isSafeInteger(this.origin)) throw new Error(`the site's clock does not stand still: ${site}`);
    // A whole number of milliseconds of the wall after the origin.
    this.start = site + 100 * speed;
  }

  /** Lets the clock run to an instant of the scenario, at its speed, and stand still there. */
  private async reach(at: number): Promise<void> {
    const wall = this.origin + (this.start + at - this.origin) / speed;
    if (!Number.isSafeInteger(wall)) throw new Error(`the instant ${at} is no whole millisecond of the wall`);
    const remaining = this.clock.holdAt(wall);
    await sleep(remaining + 5);
  }

  /** Resolves when the writer has nothing to do at the present instant, and no action of a host is open. */
  private async settle(): Promise<void> {
    for (;;) {
      for (const server of this.servers) {
        const now = await metrics(server);
        const isSettled =
          now.get('leasegraph_role{role="writer"}') === 1 &&
          now.get('leasegraph_writer_idle') === 1 &&
          now.get('leasegraph_actions_open') === 0;
        if (isSettled) return;
      }
      await sleep(5);
    }
  }

  private async withKill(isRepeatable: boolean, give: (url: string) => Promise<Payload | null>): Promise<Payload> {
    const kill: Kill =
      this.kills < this.maxKills && this.random.chance(this.killing)
        ? this.random.pick(isRepeatable ? (['before', 'during', 'after'] as const) : (['before', 'after'] as const))
        : null;
    if (kill === 'before') await this.killWriter();
    if (kill === 'during') {
      const first = give(await this.url());
      await sleep(this.random.between(0, 30));
      await this.killWriter();
      await first;
    }
    const payload = await this.insist(give);
    if (kill === 'after') await this.killWriter();
    return payload;
  }

  /** SIGKILL to the server that writes; it is started again at once. */
  private async killWriter(): Promise<void> {
    for (const server of this.servers) {
      if (this.servers.length > 1 && (await roleOf(server)) !== 'writer') continue;
      this.kills += 1;
      await server.kill();
      return;
    }
  }

  /** Repeated until it is answered: requests and commands with a key, or those that say what holds already. */
  private async insist(give: (url: string) => Promise<Payload | null>): Promise<Payload> {
    for (;;) {
      const payload = await give(await this.url());
      if (payload && !payload.userErrors.some(({ code }) => code === 'UNAVAILABLE')) return payload;
      await sleep(20);
    }
  }

  private url(): Promise<string> {
    return this.random.pick(this.servers).url(AbortSignal.timeout(600_000));
  }

  private request(url: string, lease: TraceLease): Promise<Payload | null> {
    const { deadline, duration, id, image, machines, preemptible, start, type } = lease;
    return mutate(url, 'requestLease', 'RequestLeaseInput', {
      type,
      machines: machines.map((amounts) => ({
        count: 1,
        capacity: Object.entries(amounts).map(([resource, amount]) => ({ type: resource, amount })),
      })),
      duration: seconds(duration),
      preemptible,
      ...(image && { diskImage: { name: image.name, sizeMb: image.sizeMb } }),
      ...(start !== null && { start: this.instant(start) }),
      ...(deadline !== null && { deadline: this.instant(deadline) }),
      idempotencyKey: `request ${id}`,
    });
  }

  private async give(url: string, command: Command): Promise<Payload | null> {
    switch (command.kind) {
      case 'cancel':
        return mutate(url, 'cancelLease', 'CancelLeaseInput', { id: encodeGlobalId('Lease', command.lease) });
      case 'update': {
        const { asFarAsPossible, at, lease, terms } = command;
        return mutate(url, 'updateLease', 'UpdateLeaseInput', {
          id: encodeGlobalId('Lease', lease),
          ...(terms.duration !== undefined && { duration: seconds(terms.duration) }),
          ...(terms.start !== undefined && { start: this.instant(terms.start) }),
          ...(terms.deadline !== undefined && { deadline: this.instant(terms.deadline) }),
          asFarAsPossible,
          idempotencyKey: `update at ${at}`,
        });
      }
      case 'node': {
        const { collisions, node, set: state } = command;
        return mutate(url, 'setNodeState', 'SetNodeStateInput', {
          ...{ id: encodeGlobalId('ComputeNode', node), state, collisions },
        });
      }
      case 'maintenance': {
        const { at, collisions, end, name, nodes, start } = command;
        const input = {
          nodes: nodes.map((node) => encodeGlobalId('ComputeNode', node)),
          ...{ start: this.instant(start), end: this.instant(end), collisions, reason: name },
          idempotencyKey: `maintenance at ${at}`,
        };
        const payload = await mutate(url, 'planMaintenance', 'PlanMaintenanceInput', input, 'maintenance { id }');
        if (payload?.maintenance) this.maintenance.set(name, payload.maintenance.id);
        return payload;
      }
      case 'endMaintenance': {
        // One that was refused, or is to come, has no id: as if it were unknown.
        const id = this.maintenance.get(command.name) ?? encodeGlobalId('Maintenance', command.name);
        return mutate(url, 'endMaintenance', 'EndMaintenanceInput', { id });
      }
    }
  }

  private instant(at: number): string {
    return new Date(this.start + at).toISOString();
  }
}

const seconds = (milliseconds: number): string => `PT${milliseconds / 1_000}S`;

/** Null when the answer was lost. */
const mutate = async (
  url: string,
  mutation: string,
  type: string,
  input: object,
  fields = '',
): Promise<Payload | null> => {
  const document = `mutation ($input: ${type}!) { payload: ${mutation}(input: $input) { ${fields} userErrors { code message } } }`;
  const answer = await ask<{ payload: Payload }>(url, document, { input });
  return 'data' in answer ? answer.data.payload : null;
};
