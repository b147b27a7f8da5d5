/** Where an event stream is written: a connection, or the body of a Response. */
export interface EventSink {
  /**
   * Writes a chunk, which the sink may keep without copying it. False when the reader is behind: the source then waits
   * for `onDrained` before it writes again.
   */
  write(chunk: Uint8Array): boolean;
  /** Ends the stream. If it is complete, the source has said so in the stream before. */
  end(): void;
  /** Ends the connection although the stream is not complete, so that the client comes back. */
  cut(): void;
  /** The reader has taken what was written. */
  onDrained: () => void;
  /** The reader has gone, or the stream was cut. Called once, and not after `end()`. */
  onClosed: () => void;
}

/** What can be written as an event stream. It is opened at most once. */
export interface EventSource {
  open(sink: EventSink): void;
  /** Called instead of `open` when nobody will read. */
  discard(): void;
}

/** The event streams that are open, so that all can be cut when the server stops. */
export class OpenStreams {
  private readonly sinks = new Set<EventSink>();
  private stopped = false;

  get size(): number {
    return this.sinks.size;
  }

  open(source: EventSource, sink: EventSink): void {
    if (this.stopped) {
      source.discard();
      sink.cut();
      return;
    }
    this.sinks.add(sink);
    source.open(sink);
  }

  /** The sink has ended. */
  forget(sink: EventSink): void {
    this.sinks.delete(sink);
  }

  stop(): void {
    this.stopped = true;
    for (const sink of [...this.sinks]) sink.cut();
  }
}
