/**
 * Callers that request, repeat, cancel and query as fast as they are answered, and record the answers.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { sharedController } from '../../src/engine/async.ts';
import { ask, insist, pickServer, type UserError } from './client.ts';
import type { Random } from './random.ts';
import type { Server } from './server.ts';

/** A lease in an answer to a caller. */
export interface Acknowledged {
  readonly lease: number;
  /** Unique among requests. */
  readonly name: string;
  readonly input: RequestInput;
}

export interface RequestInput {
  readonly type: 'BEST_EFFORT' | 'ADVANCE_RESERVATION' | 'IMMEDIATE';
  readonly name: string;
  readonly machines: readonly object[];
  readonly duration: string;
  readonly start?: string;
  readonly idempotencyKey?: string;
}

interface Payload {
  readonly lease: { readonly id: string; readonly number: number; readonly state: string } | null;
  readonly userErrors: readonly UserError[];
}

const requestLease = `mutation ($input: RequestLeaseInput!) {
  payload: requestLease(input: $input) { lease { id number state } userErrors { code message } }
}`;
const cancelLease = `mutation ($input: CancelLeaseInput!) {
  payload: cancelLease(input: $input) { lease { id number state } userErrors { code message } }
}`;
const look = 'query ($number: Int!) { lease(number: $number) { name state } serverTime }';

/** Allowed answers to callers that are late, or cancel an ended lease. */
const ordinary = new Set(['START_IN_PAST', 'LEASE_ENDED']);

export interface LoadOptions {
  readonly servers: readonly Server[];
  readonly random: Random;
  readonly callers: number;
  /** The maximum pause between two calls of one caller (ms). */
  readonly pause: number;
  /** The speed of the site's clock relative to the wall clock. */
  readonly speed: number;
}

export class Load {
  readonly acknowledged: Acknowledged[] = [];
  /** Leases whose cancellation was acknowledged. */
  readonly cancelled = new Set<number>();
  /** Answers that a server must never give. */
  readonly strange: string[] = [];
  /** Commands that were answered. */
  answered = 0;
  private readonly ids: string[] = [];
  private readonly ending = sharedController();
  private readonly giveUp = sharedController();
  private running: Promise<unknown> = Promise.resolve();
  private waiting: (() => void)[] = [];
  /** The site's time, and when it was received. */
  private time: { readonly site: number; readonly at: number } | null = null;

  constructor(private readonly options: LoadOptions) {}

  start(): void {
    const { callers, random } = this.options;
    this.running = Promise.all(
      Array.from({ length: callers }, (_, index) => this.call(`caller ${index + 1}`, random.fork())),
    );
  }

  /** Resolves when another command has been answered. */
  progress(): Promise<void> {
    return new Promise((resolve) => this.waiting.push(resolve));
  }

  /** Sends no more commands; resolves when those in progress are answered. */
  async stop(): Promise<void> {
    this.ending.abort();
    await this.running;
  }

  /** Sends no more commands, and stops waiting for answers. */
  async abandon(): Promise<void> {
    this.giveUp.abort();
    await this.stop();
  }

  private async call(caller: string, random: Random): Promise<void> {
    for (let count = 1; !this.ending.signal.aborted; count += 1) {
      await this.request(`${caller}, request ${count}`, random);
      if (random.chance(0.15)) await this.cancel(random);
      if (random.chance(0.2)) await this.look(random);
      await sleep(random.between(0, this.options.pause));
    }
  }

  private async request(name: string, random: Random): Promise<void> {
    const input = this.draw(name, random);
    if (random.chance(0.1)) {
      const { idempotencyKey: _, ...once } = input;
      return this.requestOnce(once, random);
    }
    const payload = await this.insist(requestLease, { input }, random);
    if (payload) this.took(input, payload);
    if (!payload?.lease || !random.chance(0.15)) return;
    // Every server answers the same key with the same lease.
    const again = await this.insist(requestLease, { input }, random);
    if (again && again.lease?.number !== payload.lease.number) {
      this.strange.push(`${name} was answered ${JSON.stringify(payload)}, then ${JSON.stringify(again)}`);
    }
  }

  /** Without a key: not repeated if the answer is lost. */
  private async requestOnce(input: RequestInput, random: Random): Promise<void> {
    const url = await pickServer(this.options.servers, random)
      .url(this.giveUp.signal)
      .catch(() => null);
    if (url === null) return;
    const answer = await ask<{ payload: Payload }>(url, requestLease, { input });
    if ('data' in answer && answer.data.payload.lease) this.took(input, answer.data.payload);
  }

  private took(input: RequestInput, { lease, userErrors }: Payload): void {
    this.heard();
    if (lease) {
      this.acknowledged.push({ lease: lease.number, name: input.name, input });
      this.ids.push(lease.id);
    } else if (!userErrors.every(({ code }) => ordinary.has(code))) {
      this.strange.push(`${input.name}: ${JSON.stringify(userErrors)}`);
    }
  }

  private async cancel(random: Random): Promise<void> {
    if (this.ids.length === 0) return;
    // Usually one of the newest, which is probably live.
    const recent = this.ids.slice(random.chance(0.9) ? -20 : 0);
    const id = random.pick(recent);
    const payload = await this.insist(cancelLease, { input: { id } }, random);
    if (!payload) return;
    this.heard();
    const { lease, userErrors } = payload;
    if (lease) this.cancelled.add(lease.number);
    if (lease ? lease.state !== 'CANCELLED' : !userErrors.every(({ code }) => ordinary.has(code))) {
      this.strange.push(`cancelling ${id}: ${JSON.stringify(payload)}`);
    }
  }

  /** Acknowledged leases are visible at once, on every server. */
  private async look(random: Random): Promise<void> {
    if (this.acknowledged.length === 0) return;
    const { lease, name } = random.pick(this.acknowledged.slice(-50));
    const url = await pickServer(this.options.servers, random)
      .url(this.giveUp.signal)
      .catch(() => null);
    if (url === null) return;
    const answer = await ask<{ lease: { name: string } | null; serverTime: string }>(url, look, {
      number: lease,
    });
    if ('lost' in answer) return;
    this.time = { site: Date.parse(answer.data.serverTime), at: performance.now() };
    if (answer.data.lease?.name !== name) {
      this.strange.push(`lease ${lease} of ${name} is seen as ${JSON.stringify(answer.data.lease)}`);
    }
  }

  private draw(name: string, random: Random): RequestInput {
    const types = ['BEST_EFFORT', 'BEST_EFFORT', 'BEST_EFFORT', 'ADVANCE_RESERVATION', 'IMMEDIATE'] as const;
    const wanted = random.pick(types);
    const type = wanted === 'ADVANCE_RESERVATION' && !this.time ? 'BEST_EFFORT' : wanted;
    const minutes = random.between(2, 20);
    const capacity = [
      { type: 'CPU', amount: random.pick([50, 100, 200]) },
      { type: 'Memory', amount: random.pick([256, 512, 1024]) },
    ];
    return {
      type,
      name,
      machines: [{ count: random.between(1, 4), capacity }],
      duration: `PT${minutes}M`,
      ...(type === 'ADVANCE_RESERVATION' && { start: this.inMinutes(random.between(5, 30)) }),
      ...(random.chance(0.3) && { diskImage: { name: random.pick(['a', 'b', 'c']), sizeMb: 512 } }),
      idempotencyKey: name,
    };
  }

  private inMinutes(minutes: number): string {
    const { site, at } = this.time ?? { site: 0, at: 0 };
    return new Date(site + (performance.now() - at) * this.options.speed + minutes * 60_000).toISOString();
  }

  private insist(mutation: string, variables: object, random: Random): Promise<Payload | null> {
    return insist<Payload>(this.options.servers, mutation, variables, random, this.giveUp.signal);
  }

  private heard(): void {
    this.answered += 1;
    for (const waiting of this.waiting.splice(0)) waiting();
  }
}
