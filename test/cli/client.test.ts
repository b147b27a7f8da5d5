import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Client } from '../../src/cli/client/client.ts';
import { LeaseEventsDocument, SiteDocument } from '../../src/cli/client/generated/operations.ts';
import { cli } from './terminal.ts';

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`;
}

const text =
  (body: string): RequestListener =>
  (_request, response) =>
    void response.end(body);

describe('a server that is none', () => {
  it.each<[what: string, listener: RequestListener, message: RegExp]>([
    ['a page', text('<html>'), /answered with 200 and no JSON: is this a Leasegraph server\?/],
    ['null', text('null'), /answered with 200 and no JSON/],
    ['nothing in it', text('{}'), /the server answered without data/],
    ['escapes', text('{"errors":[{"message":"a\\nb\\u001b[2J"}]}'), /^leasegraph: a; b\uFFFD\[2J \[ERROR\]\n$/],
    ['a broken line', (request) => request.socket.destroy(), /no server answers at .*; is it running\?/],
    [
      'half an answer',
      (_request, response) => {
        response.writeHead(200, { 'content-length': '1000' });
        response.write('{', () => response.destroy());
      },
      /no server answers at .*; is it running\?/,
    ],
  ])('is told in one line: %s', async (_what, listener, message) => {
    const { status, out, err } = await cli('nodes', '--server', await serve(listener), '--token', 't');
    expect(err).toMatch(/^leasegraph: [^\n]*\n$/);
    expect(err).toMatch(message);
    expect([status, out]).toEqual([1, '']);
  });

  it('is not waited for without end', async () => {
    const url = await serve(() => {});
    await expect(new Client(url, 't', '--token', 50).request(SiteDocument, {})).rejects.toThrow(
      `the server at ${url} did not answer within 0.05 s`,
    );
  });
});

it('does not send a token that cannot be one, nor shows it', async () => {
  const { status, err } = await cli('nodes', '--server', 'http://127.0.0.1:4', '--token', 's3crét');
  expect([status, err]).toEqual([2, 'leasegraph: --token: expected printable ASCII characters without blanks\n']);
});

it('does not repeat a password', async () => {
  const { status, err } = await cli('nodes', '--server', 'http://me:s3cret@127.0.0.1:4', '--token', 't');
  expect([status, err]).toEqual([
    2,
    'leasegraph: --server: expected a URL without a user and a password; use --token\n',
  ]);
});

it('tells a subscription that breaks, and a command that there is not', async () => {
  const url = await serve((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(':\n\n', () => response.destroy());
  });
  const events = new Client(url, 't', '--token').subscribe(LeaseEventsDocument, {});
  await expect(events.next()).rejects.toThrow(/^no server answers at .*; is it running\? \[UNREACHABLE\]$/);

  const { status, err } = await cli('help', 'lesaes');
  expect([status, err]).toEqual([2, "leasegraph: unknown command 'lesaes' (see --help)\n"]);
});
