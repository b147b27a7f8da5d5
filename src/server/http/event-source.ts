/** The destination of an event stream: a connection or a Response body. */
export interface EventSink {
  /**
   * Writes a chunk without copying it. Returns false if the reader is behind: the source then waits for `onDrained`.
   */
  write(chunk: Uint8Array): boolean;
  /** Ends the stream, which the source has marked as complete if it is. */
  end(): void;
  /** Closes the connection without completing the stream, so that the client reconnects. */
  cut(): void;
  /** The reader has caught up. */
  onDrained: () => void;
  /** The reader disconnected or the stream was cut. Called at most once, and not after `end()`. */
  onClosed: () => void;
}

/** A source of an event stream. It is opened at most once. */
export interface EventSource {
  open(sink: EventSink): void;
  /** Called instead of `open` if there is no reader. */
  discard(): void;
}

/** Open event streams, to be cut when the server stops. */
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
