import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface Received {
  readonly id: string;
  readonly kind: string;
  readonly signature: string;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read bodies of any shape
  readonly body: any;
}

export interface Receiver {
  readonly url: string;
  readonly requests: readonly Received[];
  /** Decides the answer; nothing, or a status. The answer may also be given, or left out, by hand. */
  answer: (request: Received, response: ServerResponse) => number | undefined;
  /** Resolves when so many requests have come. */
  received(count: number): Promise<void>;
}

/** A receiver of webhooks on this machine, until the test has finished. */
export async function startReceiver(): Promise<Receiver> {
  const requests: Received[] = [];
  const arrivals = new EventTarget();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString();
      const header = (name: string): string => String(request.headers[name] ?? '');
      const received: Received = {
        id: header('leasegraph-delivery'),
        kind: header('leasegraph-kind'),
        signature: header('leasegraph-signature'),
        text,
        body: JSON.parse(text),
      };
      requests.push(received);
      const status = receiver.answer(received, response);
      if (status !== undefined) response.writeHead(status).end();
      arrivals.dispatchEvent(new Event('arrival'));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    requests,
    answer: () => 204,
    received: async (count) => {
      while (requests.length < count) await once(arrivals, 'arrival');
    },
  };
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return receiver;
}

type Verify = (secret: string, header: string, body: string) => boolean;

/** The example of docs/notices.md. */
export async function documentedVerification(): Promise<Verify> {
  const page = readFileSync(new URL('../../docs/notices.md', import.meta.url), 'utf8');
  const [, code = ''] = /^```js\n([\s\S]*?)^```$/m.exec(page) ?? [];
  const { isGenuine } = (await import(`data:text/javascript,${encodeURIComponent(code)}`)) as {
    readonly isGenuine: Verify;
  };
  return isGenuine;
}
