import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Answer } from './answer.ts';

const brotli = promisify(brotliCompress);
const zip = promisify(gzip);

export type Encoding = 'br' | 'gzip';

/** Below this size compression costs more than it saves (bytes). */
const minCompressedSize = 1_024;

/** The content encoding from Accept-Encoding; null for none. */
export function chooseEncoding(acceptEncoding: string | null): Encoding | null {
  if (!acceptEncoding) return null;
  const quality = new Map<string, number>();
  for (const part of acceptEncoding.toLowerCase().split(',')) {
    const [name = '', ...parameters] = part.split(';').map((text) => text.trim());
    const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
    quality.set(name, weight === undefined ? 1 : Number(weight) || 0);
  }
  const of = (encoding: Encoding): number => quality.get(encoding) ?? quality.get('*') ?? 0;
  if (of('br') > 0 && of('br') >= of('gzip')) return 'br';
  return of('gzip') > 0 ? 'gzip' : null;
}

/** Fast compression for a single client. */
export function compressOnce(body: string | Uint8Array, encoding: Encoding): Promise<Buffer> {
  return encoding === 'br'
    ? brotli(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } })
    : zip(body, { level: 5 });
}

/** Best compression for shared content. */
export function compressForMany(body: string | Uint8Array, encoding: Encoding): Promise<Buffer> {
  return encoding === 'br'
    ? brotli(body, {
        params: {
          [constants.BROTLI_PARAM_QUALITY]: 5,
          [constants.BROTLI_PARAM_SIZE_HINT]: body.length,
        },
      })
    : zip(body, { level: 6 });
}

/** Compresses an answer if accepted. Event streams and compressed content are unchanged. */
export async function compressed(answer: Answer, acceptEncoding: string | null): Promise<Answer> {
  const { body, headers } = answer;
  if (body === null || body.length < minCompressedSize || headers['content-encoding'] !== undefined) return answer;
  const encoding = chooseEncoding(acceptEncoding);
  if (encoding === null) return answer;
  return {
    ...answer,
    headers: { ...headers, 'content-encoding': encoding },
    body: await compressOnce(body, encoding),
  };
}
