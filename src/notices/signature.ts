import { createHmac, randomBytes } from 'node:crypto';

export const signatureHeader = 'Leasegraph-Signature';

/** `t=SECONDS,v1=HEX`: the HMAC-SHA256 of `SECONDS.BODY` under the secret of the webhook. */
export function signatureOf(secret: string, seconds: number, body: string): string {
  const mac = createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex');
  return `t=${seconds},v1=${mac}`;
}

export function newSecret(): string {
  return `whsec_${randomBytes(32).toString('base64url')}`;
}
