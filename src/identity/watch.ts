import type { Identity } from './identity.ts';
import type { Tokens } from './tokens.ts';

/** Polling interval for tokens of open streams, in milliseconds. */
const lookEvery = 2_000;

/** Ends streams whose credentials expire or are revoked. Polls the database only while streams are open. */
export class Watch {
  private readonly open = new Map<Identity, Set<() => void>>();
  private timer: NodeJS.Timeout | null = null;

  constructor(
    private readonly tokens: Pick<Tokens, 'invalid'>,
    private readonly clock: () => number = Date.now,
    private readonly interval = lookEvery,
  ) {}

  /** Calls `onEnd` once when the credentials end, unless the returned function is called before. */
  add(identity: Identity, onEnd: () => void): () => void {
    if (identity.token === null && identity.expiresAt === null) return () => {};
    const callbacks = this.open.get(identity) ?? new Set();
    this.open.set(identity, callbacks.add(onEnd));
    this.timer ??= setInterval(() => void this.look(), this.interval).unref();
    return () => {
      callbacks.delete(onEnd);
      if (callbacks.size === 0) this.open.delete(identity);
      this.stopWhenIdle();
    };
  }

  /** An unreachable database ends nothing; the next poll decides. */
  async look(): Promise<void> {
    const now = this.clock();
    const identities = [...this.open.keys()];
    const numbers = new Set(identities.flatMap(({ token }) => token ?? []));
    const invalid =
      numbers.size > 0 ? await this.tokens.invalid([...numbers]).catch(() => new Set<number>()) : new Set();
    for (const identity of identities) {
      const { token, expiresAt } = identity;
      const ended = (expiresAt !== null && expiresAt <= now) || (token !== null && invalid.has(token));
      if (ended) this.end(identity);
    }
    this.stopWhenIdle();
  }

  private end(identity: Identity): void {
    const callbacks = this.open.get(identity) ?? [];
    this.open.delete(identity);
    for (const callback of callbacks) callback();
  }

  private stopWhenIdle(): void {
    if (this.open.size > 0 || this.timer === null) return;
    clearInterval(this.timer);
    this.timer = null;
  }
}
