/** One attempt to deliver: a POST to an address that may be called, without following redirects. */
import { lookup } from 'node:dns';
import { type ClientRequest, request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP, type LookupFunction, type Socket } from 'node:net';
import { linkedController } from '../engine/async.ts';
import type { AddressRules } from './addresses.ts';
import { signatureHeader, signatureOf } from './signature.ts';

export interface Message {
  readonly url: string;
  readonly secret: string;
  /** What receivers recognize the delivery by. */
  readonly id: string;
  readonly kind: string;
  /** JSON. */
  readonly body: string;
}

/** The HTTP status of the answer, or why there was none. */
export type Answer = { readonly status: number } | { readonly error: string };

export interface SendOptions {
  readonly addresses: AddressRules;
  readonly allowHttp: boolean;
  /** For the whole attempt (ms). */
  readonly timeout: number;
  readonly signal: AbortSignal;
}

/** Why a URL cannot be a webhook's; null when it can. Names are resolved only when they are called. */
export function faultOfUrl(text: string, { addresses, allowHttp }: Pick<SendOptions, 'addresses' | 'allowHttp'>) {
  if (!URL.canParse(text)) return 'It is not a URL.';
  const { hostname, password, protocol, username } = new URL(text);
  if (protocol !== 'https:' && protocol !== 'http:') return 'It is not an https URL.';
  if (protocol === 'http:' && !allowHttp) return 'It is not an https URL, and webhooks.allowHttp is false.';
  if (username !== '' || password !== '') return 'It has a user name or a password.';
  try {
    const host = hostname.replace(/^\[|\]$/g, '');
    if (isIP(host) !== 0) addresses.check(host);
    return null;
  } catch (error) {
    return messageOf(error);
  }
}

/** Never rejects. */
export async function send(message: Message, options: SendOptions): Promise<Answer> {
  const fault = faultOfUrl(message.url, options);
  if (fault !== null) return { error: fault };
  using cut = linkedController(options.signal);
  const timer = setTimeout(() => cut.abort(), options.timeout);
  try {
    return { status: await post(message, options, cut.signal) };
  } catch (error) {
    const isLate = cut.signal.aborted && !options.signal.aborted;
    return { error: isLate ? `There was no answer within ${options.timeout / 1_000} s.` : messageOf(error) };
  } finally {
    clearTimeout(timer);
  }
}

function post(
  { url, secret, id, kind, body }: Message,
  { addresses }: SendOptions,
  signal: AbortSignal,
): Promise<number> {
  const start = url.startsWith('https:') ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const request: ClientRequest = start(url, {
      method: 'POST',
      signal,
      // A connection of its own, to an address that has just been checked.
      agent: false,
      lookup: checkedLookup(addresses),
      headers: {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        'user-agent': 'Leasegraph',
        'leasegraph-delivery': id,
        'leasegraph-kind': kind,
        [signatureHeader]: signatureOf(secret, Math.floor(Date.now() / 1_000), body),
      },
    });
    request.on('socket', (socket) => checkPeer(socket, addresses));
    request.on('error', reject);
    // 101: Node.js hands the connection over, and neither answers nor aborts any more.
    request.on('upgrade', ({ statusCode }, socket) => {
      socket.destroy();
      resolve(statusCode ?? 0);
    });
    // Ignored if it has been answered or has failed.
    request.on('close', () => reject(new Error('The connection was closed.')));
    request.on('response', (response) => {
      // What it says does not matter, however much it is.
      response.destroy();
      resolve(response.statusCode ?? 0);
    });
    request.end(body);
  });
}

/** Resolves a name, and refuses it if one of its addresses may not be called. */
function checkedLookup(addresses: AddressRules): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error) return callback(error, '');
      const [first] = found;
      try {
        for (const { address } of found) addresses.check(address);
      } catch (refusal) {
        return callback(refusal as Error, '');
      }
      if (first === undefined) return callback(new Error(`${hostname} has no address`), '');
      if (options.all) return callback(null, found);
      return callback(null, first.address, first.family);
    });
  };
}

/** The address that it is really connected to. */
function checkPeer(socket: Socket, addresses: AddressRules): void {
  socket.once('connect', () => {
    try {
      addresses.check(socket.remoteAddress ?? '');
    } catch (error) {
      socket.destroy(error as Error);
    }
  });
}

export function messageOf(error: unknown): string {
  const { message, code } = error as { readonly message?: string; readonly code?: string };
  return (message || code || String(error)).slice(0, 500);
}
