/** Subscriptions as server-sent events, following the GraphQL over SSE protocol (distinct connections mode). */
import type { ExecutionResult } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { serializeResult } from '../graphql/errors.ts';
import type { EventSink, EventSource } from '../http/event-source.ts';
import { eventFrame } from './event-frame.ts';
import type { FanOut } from './fan-out/fan-out.ts';
import type { DeliverySink, SharedSubscription } from './fan-out/subscription.ts';
import { Pings } from './pings.ts';

/** Ping interval that keeps idle connections open through proxies (ms). */
export const pingInterval = 12_000;

const pings = new Pings(pingInterval);
const ping = Buffer.from(':\n\n');
const completion = Buffer.from('event: complete\ndata:\n\n');

export const eventStreamHeaders = {
  'content-type': 'text/event-stream',
  // A proxy must not cache, transform or buffer the stream.
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
};

/** Serves subscriptions over HTTP as event streams instead of Yoga's. */
export function useEventStreams(streams: WeakMap<Response, EventSource>, fanOut: FanOut): Plugin {
  return {
    onResultProcess({ request, result, resultProcessor, setResultProcessor }) {
      if (!resultProcessor || Array.isArray(result) || !(Symbol.asyncIterator in result)) return;
      setResultProcessor((results, fetchAPI) => {
        const response = new fetchAPI.Response(null, { headers: eventStreamHeaders });
        const shared = fanOut.find(request);
        streams.set(
          response,
          shared
            ? new SharedStream(shared)
            : new ResultStream(results as AsyncIterable<ExecutionResult>, () => fanOut.isCut(request)),
        );
        return response;
      }, 'text/event-stream');
    },
  };
}

/** Events, of which other streams receive the same bytes. */
class SharedStream implements EventSource {
  constructor(private readonly subscription: SharedSubscription) {}

  open(sink: EventSink): void {
    const stopPings = begin(sink);
    const delivery: DeliverySink = {
      deliver: (batch, cursor) => sink.write(batch.eventsAfter(cursor)),
      onReady: () => {},
      complete: () => {
        stopPings();
        complete(sink);
      },
      cut: () => {
        stopPings();
        sink.end();
      },
    };
    sink.onDrained = () => delivery.onReady();
    sink.onClosed = () => {
      stopPings();
      this.discard();
    };
    this.subscription.attach(delivery);
  }

  discard(): void {
    this.subscription.close();
  }
}

/** The results of one subscription in order. */
class ResultStream implements EventSource {
  private readonly iterator: AsyncIterator<ExecutionResult>;

  constructor(
    results: AsyncIterable<ExecutionResult>,
    private readonly isCut: () => boolean,
  ) {
    this.iterator = results[Symbol.asyncIterator]();
  }

  open(sink: EventSink): void {
    const stopPings = begin(sink);
    let drained = (): void => {};
    let gone = false;
    sink.onDrained = () => drained();
    sink.onClosed = () => {
      gone = true;
      stopPings();
      drained();
      this.discard();
    };
    const pump = async (): Promise<void> => {
      for (;;) {
        const { done, value } = await this.iterator.next();
        if (gone) return;
        if (done) break;
        const chunk = Buffer.from(eventFrame(serializeResult(value)));
        if (!sink.write(chunk)) await new Promise<void>((resolve) => (drained = resolve));
      }
      stopPings();
      if (this.isCut()) sink.end();
      else complete(sink);
    };
    pump().catch(() => {
      if (gone) return;
      stopPings();
      sink.end();
    });
  }

  discard(): void {
    void this.iterator.return?.();
  }
}

/** Some browsers withhold the headers until data follows. Returns a function that stops the pings. */
function begin(sink: EventSink): () => void {
  sink.write(ping);
  return pings.add(() => sink.write(ping));
}

function complete(sink: EventSink): void {
  sink.write(completion);
  sink.end();
}
