import type { WebSocket } from 'ws';
import type { Batch } from './fan-out/batch.ts';
import type { DeliverySink } from './fan-out/subscription.ts';

/** A socket that has more than this to send is behind (bytes). */
const maxBuffered = 64 * 1_024;

/** A subscription of a WebSocket: results as messages of graphql-ws, of which only the id is its own. */
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

  /** The end of the operation's results says so to the client. */
  complete(): void {}
}
