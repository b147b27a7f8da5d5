import type { Identity } from './identity.ts';
import type { Tokens } from './tokens.ts';

/** Polling interval for tokens of open streams, in milliseconds. */
const lookEvery = 2_000;

/** `ended`: expired or revoked. `changed`: still valid, with another role or other projects. */
export type CredentialsChange = 'ended' | 'changed';
type OnEnd = (change: CredentialsChange) => void;

/**
 * Ends streams whose credentials expire, are revoked, or give other rights than when the stream was opened. Polls the
 * database only while streams are open.
 */
export class Watch {
  private readonly open = new Map<Identity, Set<OnEnd>>();
  private timer: NodeJS.Timeout | null = null;

  constructor(
    private readonly tokens: Pick<Tokens, 'valid'>,
    private readonly clock: () => number = Date.now,
    private readonly interval = lookEvery,
  ) {}

  /** Calls `onEnd` once when the credentials end or change, unless the returned function is called before. */
  add(identity: Identity, onEnd: OnEnd): () => void {
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

  /** While the database is unreachable, streams end only when they were to expire. */
  async look(): Promise<void> {
    const identities = [...this.open.keys()];
    const numbers = new Set(identities.flatMap(({ token }) => token ?? []));
    const valid = numbers.size > 0 ? await this.tokens.valid([...numbers]).catch(() => null) : new Map<number, never>();
    const now = this.clock();
    for (const identity of identities) {
      const { token, expiresAt } = identity;
      if (token === null || valid === null) {
        if (expiresAt !== null && expiresAt <= now) this.end(identity, 'ended');
        continue;
      }
      const present = valid.get(token);
      if (present === undefined) this.end(identity, 'ended');
      else if (!hasSameRights(identity, present)) this.end(identity, 'changed');
    }
    this.stopWhenIdle();
  }

  private end(identity: Identity, change: CredentialsChange): void {
    const callbacks = this.open.get(identity) ?? [];
    this.open.delete(identity);
    for (const callback of callbacks) callback(change);
  }

  private stopWhenIdle(): void {
    if (this.open.size > 0 || this.timer === null) return;
    clearInterval(this.timer);
    this.timer = null;
  }
}

type Rights = Pick<Identity, 'role' | 'projects'>;

function hasSameRights(before: Rights, now: Rights): boolean {
  const known = new Set(before.projects);
  return (
    before.role === now.role &&
    known.size === new Set(now.projects).size &&
    now.projects.every((project) => known.has(project))
  );
}
