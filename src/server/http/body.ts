import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { type Answer, failure } from './answer.ts';

const unzip = promisify(gunzip);

/** The request body from the transport. */
export type BodyChunks = AsyncIterable<Uint8Array>;

/** The parsed body of a POST, or why it is refused. */
export type Body = { readonly value: unknown } | { readonly refusal: Answer };

const tooLarge = (maxBytes: number): Body => ({
  // Unread parts of the body would be parsed as the next request.
  refusal: failure(413, 'REQUEST_ENTITY_TOO_LARGE', `The body exceeds ${maxBytes} bytes (limits.bodyBytes).`, {
    connection: 'close',
  }),
});

/** Reads a JSON body. `maxBytes` limits both its compressed and its uncompressed size. */
export async function readJson(headers: Headers, chunks: BodyChunks | null, maxBytes: number): Promise<Body> {
  const encoding = (headers.get('content-encoding') ?? 'identity').trim().toLowerCase();
  if (encoding !== 'identity' && encoding !== 'gzip') {
    const message = `The content encoding ${JSON.stringify(encoding.slice(0, 50))} is not supported. Send the body with gzip or uncompressed.`;
    return {
      refusal: failure(415, 'UNSUPPORTED_MEDIA_TYPE', message, {
        'accept-encoding': 'gzip',
        connection: 'close',
      }),
    };
  }
  if (Number(headers.get('content-length') ?? 0) > maxBytes) return tooLarge(maxBytes);
  const sent = await collect(chunks, maxBytes);
  if (sent === null) return tooLarge(maxBytes);
  let bytes = sent;
  if (encoding === 'gzip') {
    try {
      bytes = await unzip(sent, { maxOutputLength: maxBytes });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') return tooLarge(maxBytes);
      return { refusal: failure(400, 'BAD_REQUEST', 'The body is not valid gzip data.') };
    }
  }
  try {
    return { value: JSON.parse(bytes.toString('utf8')) };
  } catch {
    // The parser's message quotes the body, which may contain secrets.
    return { refusal: failure(400, 'BAD_REQUEST', 'The body is not valid JSON.') };
  }
}

/** Null when there is more than `maxBytes`. */
async function collect(chunks: BodyChunks | null, maxBytes: number): Promise<Buffer | null> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of chunks ?? []) {
    length += chunk.byteLength;
    if (length > maxBytes) return null;
    parts.push(chunk);
  }
  return Buffer.concat(parts, length);
}

/** The chunks of a Node.js request. Leaving the loop early keeps the connection, which the answer still needs. */
export function chunksOf(request: IncomingMessage): BodyChunks {
  return request.iterator({ destroyOnReturn: false });
}
