import type { WebSocket } from 'ws';
import type { Batch } from './fan-out/batch.ts';
import type { DeliverySink } from './fan-out/subscription.ts';

/** Buffered bytes above which a socket is considered behind. */
const maxBuffered = 64 * 1_024;

/** A subscription over a WebSocket: graphql-ws messages that differ only in their id. */
export class SocketSink implements DeliverySink {
  onReady = (): void => {};
  private readonly start: string;

  constructor(
    private readonly socket: WebSocket,
    id: string,
  ) {
    this.start = `{"id":${JSON.stringify(id)},"type":"next","payload":`;
  }

  deliver(batch: Batch, cursor: number): boolean {
    const { socket } = this;
    if (socket.readyState !== socket.OPEN) return true;
    const frames = batch.after(cursor);
    let rest = frames.length;
    for (const { payload } of frames) {
      rest -= 1;
      const message = `${this.start}${payload}}`;
      if (rest > 0 || socket.bufferedAmount < maxBuffered) {
        socket.send(message);
        continue;
      }
      socket.send(message, () => this.onReady());
      return false;
    }
    return true;
  }

  /** The end of the operation notifies the client. */
  complete(): void {}

  /** The whole socket is closed. */
  cut(): void {}
}
