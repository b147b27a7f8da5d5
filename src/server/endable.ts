import type { LeaseService } from '../engine/ports.ts';

export interface Endable {
  /** The same service, whose event streams can all be ended. */
  readonly service: LeaseService;
  /** Ends all event streams, as if the engine had stopped; resolves when their readers have seen it. */
  end(): Promise<void>;
}

export function endable(leases: LeaseService): Endable {
  const open = new Map<AbortController, Promise<void>>();
  let ended = false;

  async function* events({ signal, ...options }: Parameters<LeaseService['events']>[0]) {
    if (ended || signal?.aborted) return;
    const stream = new AbortController();
    signal?.addEventListener('abort', () => stream.abort(), { once: true });
    let closed = () => {};
    open.set(stream, new Promise((resolve) => (closed = resolve)));
    try {
      yield* leases.events({ ...options, signal: stream.signal });
    } finally {
      open.delete(stream);
      closed();
    }
  }

  return {
    service: {
      submit: (kind, input, options) => leases.submit(kind, input, options),
      events,
      now: () => leases.now(),
      status: () => leases.status(),
    },
    end: async () => {
      ended = true;
      for (const stream of open.keys()) stream.abort();
      await Promise.all(open.values());
      // What the readers still do about it (a last message to the client) comes before what follows.
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}
