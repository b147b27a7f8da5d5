import { createHash } from 'node:crypto';
import type { Answer } from './answer.ts';
import { chooseEncoding, compressForMany, type Encoding } from './compression.ts';

/** For files whose names change with their content. */
export const immutable = { 'cache-control': 'public, max-age=31536000, immutable' };

/** A shared file: each encoding is computed once. */
export class SharedFile {
  readonly hash: string;
  private readonly encoded = new Map<Encoding, Promise<Buffer>>();

  constructor(
    private readonly type: string,
    private readonly plain: Buffer,
    private readonly headers: Readonly<Record<string, string>>,
  ) {
    this.hash = createHash('sha256').update(plain).digest('hex').slice(0, 16);
  }

  async answer(request: Request): Promise<Answer> {
    const encoding = chooseEncoding(request.headers.get('accept-encoding'));
    const etag = `"${this.hash}${encoding === null ? '' : `-${encoding}`}"`;
    const headers = {
      'content-type': this.type,
      etag,
      vary: 'accept, accept-encoding',
      'x-content-type-options': 'nosniff',
      ...this.headers,
    };
    const known = (request.headers.get('if-none-match') ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''));
    if (known.includes(etag)) return { status: 304, headers, body: null };
    return {
      status: 200,
      headers: { ...headers, ...(encoding !== null && { 'content-encoding': encoding }) },
      body: request.method === 'HEAD' ? null : await this.bytes(encoding),
    };
  }

  private bytes(encoding: Encoding | null): Buffer | Promise<Buffer> {
    if (encoding === null) return this.plain;
    let bytes = this.encoded.get(encoding);
    if (bytes === undefined) {
      bytes = compressForMany(this.plain, encoding);
      this.encoded.set(encoding, bytes);
    }
    return bytes;
  }
}
