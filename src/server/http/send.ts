import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Answer } from './answer.ts';
import type { EventSink, OpenStreams } from './event-source.ts';

export interface SendOptions {
  readonly streams: OpenStreams;
  /** Timeout for a client to read the next part of an answer (ms). */
  readonly writeTimeout: number;
}

/** Maximum chunk written at once (bytes); shared buffers are not copied. */
const pieceSize = 64 * 1_024;
/** How long the rest of a refused body is drained, so that its sender can read the answer (ms). */
const lingering = 500;

/** Sends an answer with back-pressure. A reader that stalls longer than the timeout is disconnected. */
export function send(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  answer: Answer,
  { streams, writeTimeout }: SendOptions,
): void {
  const { status, headers, events } = answer;
  if (outgoing.destroyed) {
    events?.discard();
    return;
  }
  outgoing.statusCode = status;
  for (const [name, value] of Object.entries(headers)) outgoing.setHeader(name, value);
  if (events) {
    outgoing.flushHeaders();
    streams.open(events, new ConnectionSink(outgoing, streams, writeTimeout));
    return;
  }
  const body = bytesOf(answer.body);
  if (status !== 204 && status !== 304 && incoming.method !== 'HEAD') {
    outgoing.setHeader('content-length', body.length);
  }
  if (!incoming.complete) {
    // The rest of the body would be taken for the next request.
    outgoing.setHeader('connection', 'close');
    outgoing.write(body);
    const end = (): void => void outgoing.end();
    const timer = setTimeout(end, lingering);
    incoming.once('end', end).once('close', () => clearTimeout(timer));
    incoming.resume();
    return;
  }
  void sendPieces(outgoing, incoming.method === 'HEAD' ? empty : body, writeTimeout);
}

const empty = Buffer.alloc(0);

const bytesOf = (body: Answer['body']): Buffer => {
  if (body === null) return empty;
  if (typeof body === 'string') return Buffer.from(body);
  return Buffer.from(body.buffer, body.byteOffset, body.byteLength);
};

async function sendPieces(outgoing: ServerResponse, body: Buffer, writeTimeout: number): Promise<void> {
  let at = 0;
  for (; body.length - at > pieceSize; at += pieceSize) {
    if (!outgoing.write(body.subarray(at, at + pieceSize)) && !(await drained(outgoing, writeTimeout))) return;
  }
  const timer = expiry(outgoing, writeTimeout);
  outgoing.once('close', () => clearTimeout(timer));
  outgoing.end(at === 0 ? body : body.subarray(at));
}

/** Destroys the connection if its reader stalls. */
function expiry(outgoing: ServerResponse, writeTimeout: number): NodeJS.Timeout {
  return setTimeout(() => outgoing.destroy(), writeTimeout).unref();
}

/** False when the connection has gone. */
function drained(outgoing: ServerResponse, writeTimeout: number): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = expiry(outgoing, writeTimeout);
    const settle = (): void => {
      clearTimeout(timer);
      outgoing.off('drain', settle).off('close', settle);
      resolve(!outgoing.destroyed);
    };
    outgoing.on('drain', settle).on('close', settle);
  });
}

/** An event stream on a connection. */
class ConnectionSink implements EventSink {
  onDrained = (): void => {};
  onClosed = (): void => {};
  private timer: NodeJS.Timeout | null = null;
  private ended = false;

  constructor(
    private readonly outgoing: ServerResponse,
    private readonly streams: OpenStreams,
    private readonly writeTimeout: number,
  ) {
    outgoing.on('drain', () => this.drained());
    outgoing.on('close', () => this.closed());
  }

  write(chunk: Uint8Array): boolean {
    if (this.ended) return true;
    const ready = this.outgoing.write(chunk);
    if (!ready) this.timer ??= expiry(this.outgoing, this.writeTimeout);
    return ready;
  }

  end(): void {
    if (this.ended) return;
    this.ended = true;
    this.streams.forget(this);
    this.outgoing.end();
  }

  cut(): void {
    this.closed();
    this.outgoing.end();
  }

  private drained(): void {
    this.stopTimer();
    this.onDrained();
  }

  private closed(): void {
    this.stopTimer();
    if (this.ended) return;
    this.ended = true;
    this.streams.forget(this);
    this.onClosed();
  }

  private stopTimer(): void {
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
  }
}
