/** Subscriptions as server-sent events, in the form of the GraphQL over SSE protocol (distinct connections). */
import type { ExecutionResult } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { serializeResult } from '../graphql/errors.ts';
import type { EventSink, EventSource } from '../http/event-source.ts';

/** How often something is sent to idle connections, so that proxies keep them open (ms). */
export const pingInterval = 12_000;

const ping = Buffer.from(':\n\n');
const completion = Buffer.from('event: complete\ndata:\n\n');

/** One result as an event. With an id, a client that comes back says which one it received last. */
export const eventFrame = (payload: string, id?: number): string =>
  `${id === undefined ? '' : `id: ${id}\n`}event: next\ndata: ${payload}\n\n`;

export const eventStreamHeaders = {
  'content-type': 'text/event-stream',
  // A proxy must neither keep, change nor collect the stream before it passes it on.
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
};

/** Gives the results of subscriptions over HTTP as event streams instead of Yoga's. */
export function useEventStreams(streams: WeakMap<Response, EventSource>): Plugin {
  return {
    onResultProcess({ result, resultProcessor, setResultProcessor }) {
      if (!resultProcessor || Array.isArray(result) || !(Symbol.asyncIterator in result)) return;
      setResultProcessor((results, fetchAPI) => {
        const response = new fetchAPI.Response(null, { headers: eventStreamHeaders });
        streams.set(response, new ResultStream(results as AsyncIterable<ExecutionResult>));
        return response;
      }, 'text/event-stream');
    },
  };
}

/** The results of one subscription, one after the other. */
class ResultStream implements EventSource {
  private readonly iterator: AsyncIterator<ExecutionResult>;

  constructor(results: AsyncIterable<ExecutionResult>) {
    this.iterator = results[Symbol.asyncIterator]();
  }

  open(sink: EventSink): void {
    let drained = (): void => {};
    sink.onDrained = () => drained();
    // Some browsers hold the headers back until something follows them.
    sink.write(ping);
    const timer = setInterval(() => sink.write(ping), pingInterval);
    timer.unref();
    let gone = false;
    sink.onClosed = () => {
      gone = true;
      clearInterval(timer);
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
      clearInterval(timer);
      sink.write(completion);
      sink.end();
    };
    pump().catch(() => {
      clearInterval(timer);
      sink.end();
    });
  }

  discard(): void {
    void this.iterator.return?.();
  }
}
