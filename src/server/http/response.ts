import type { Answer } from './answer.ts';
import type { EventSink, OpenStreams } from './event-source.ts';

/** An answer as the Response of a `fetch` that needs no socket. */
export function toResponse({ status, headers, body, events }: Answer, streams: OpenStreams): Response {
  const init = { status, headers: { ...headers } };
  if (!events) return new Response(body as BodyInit | null, init);
  let sink: ResponseSink;
  let opened = false;
  const stream = new ReadableStream<Uint8Array>({
    start: (controller) => {
      sink = new ResponseSink(controller, streams);
    },
    pull: () => {
      if (opened) return sink.onDrained();
      opened = true;
      streams.open(events, sink);
    },
    cancel: () => {
      if (opened) sink.gone();
      else events.discard();
    },
  });
  return new Response(stream, init);
}

class ResponseSink implements EventSink {
  onDrained = (): void => {};
  onClosed = (): void => {};

  constructor(
    private readonly controller: ReadableStreamDefaultController<Uint8Array>,
    private readonly streams: OpenStreams,
  ) {}

  write(chunk: Uint8Array): boolean {
    this.controller.enqueue(chunk);
    return (this.controller.desiredSize ?? 0) > 0;
  }

  end(): void {
    this.streams.forget(this);
    this.controller.close();
  }

  cut(): void {
    this.gone();
    this.controller.close();
  }

  gone(): void {
    this.streams.forget(this);
    this.onClosed();
  }
}
