/** Handles Node.js requests, limiting concurrent requests per connection and the time to read an answer. */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Request } from '@whatwg-node/fetch';
import type { Logger } from 'pino';
import type { ServerLimits } from '../limits.ts';
import { type Answer, failure } from './answer.ts';
import { type BodyChunks, chunksOf } from './body.ts';
import { OpenStreams } from './event-source.ts';
import { send } from './send.ts';

export interface ExchangeOptions {
  /** Never rejects. */
  readonly handle: (request: Request, chunks: BodyChunks | null, peer: string | undefined) => Promise<Answer>;
  readonly limits: Pick<ServerLimits, 'pipelinedRequests' | 'writeTimeout'>;
  readonly log: Logger;
}

export interface Exchange {
  readonly listener: RequestListener;
  readonly streams: OpenStreams;
  /** Starts the shutdown: answers close their connections, and event streams are cut. */
  stop(): void;
}

/** Maximum concurrent requests per connection; others wait. */
const maxConcurrentRequests = 8;

/** Unanswered requests of a connection. */
interface Pipeline {
  working: number;
  readonly waiting: (() => void)[];
}

export function createExchange({ handle, limits, log }: ExchangeOptions): Exchange {
  const pipelines = new WeakMap<Socket, Pipeline>();
  const streams = new OpenStreams();
  let stopping = false;

  const serve = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const request = requestOf(incoming, outgoing);
    const answer =
      request === null
        ? failure(400, 'BAD_REQUEST', 'The URL or the header Host is invalid.')
        : await handle(request, incoming.method === 'POST' ? chunksOf(incoming) : null, incoming.socket.remoteAddress);
    if (stopping) outgoing.setHeader('connection', 'close');
    send(incoming, outgoing, answer, { streams, writeTimeout: limits.writeTimeout });
  };

  const start = (pipeline: Pipeline, incoming: IncomingMessage, outgoing: ServerResponse): void => {
    pipeline.working += 1;
    outgoing.once('close', () => {
      pipeline.working -= 1;
      pipeline.waiting.shift()?.();
    });
    serve(incoming, outgoing).catch((error: unknown) => {
      log.error({ err: error }, 'an answer could not be sent');
      outgoing.destroy();
    });
  };

  const listener: RequestListener = (incoming, outgoing) => {
    const { socket } = incoming;
    if (socket.destroyed) return;
    let pipeline = pipelines.get(socket);
    if (pipeline === undefined) {
      pipeline = { working: 0, waiting: [] };
      pipelines.set(socket, pipeline);
    }
    const { waiting, working } = pipeline;
    if (working < maxConcurrentRequests) {
      start(pipeline, incoming, outgoing);
    } else if (waiting.length + working < limits.pipelinedRequests) {
      const begin = start.bind(null, pipeline, incoming, outgoing);
      waiting.push(begin);
    } else {
      log.debug('a connection was closed: it sends requests and does not read the answers');
      socket.destroy();
    }
  };

  return {
    listener,
    streams,
    stop: () => {
      stopping = true;
      streams.stop();
    },
  };
}

/** The request without its body, which is read separately. Null if its URL is invalid. */
function requestOf(incoming: IncomingMessage, outgoing: ServerResponse): Request | null {
  const url = `http://${incoming.headers.host ?? 'localhost'}${incoming.url ?? '/'}`;
  if (!URL.canParse(url)) return null;
  const gone = new AbortController();
  outgoing.once('close', () => {
    if (!outgoing.writableFinished) gone.abort();
  });
  return new Request(url, {
    method: incoming.method ?? 'GET',
    headers: incoming.headers as Record<string, string>,
    signal: gone.signal,
  });
}
