import { describe, expect, it } from 'vitest';
import { BrowserSignIn, type Identity, type IdentityService } from '../../src/identity/index.ts';
import { signIn } from '../../src/server/http/sign-in.ts';

const failures: unknown[] = [];
const unreachable = new BrowserSignIn(
  { issuer: 'http://127.0.0.1:1', clientId: 'console', scope: 'openid', resource: null },
  (error) => failures.push(error),
);

const call = async (
  browserSignIn: BrowserSignIn | null,
  method: string,
  name: string,
  value: unknown = {},
  accepted: readonly string[] = [],
) => {
  const authenticate = async (header: string | null | undefined) =>
    accepted.some((token) => header === `Bearer ${token}`) ? ({ expiresAt: 5 } as Identity) : null;
  const identity = { browserSignIn, authenticate } as IdentityService;
  const { status, body } = await signIn(identity, method, name, async () => ({ value }));
  return { status, body: JSON.parse(String(body)) };
};

describe('sign-in of the web console', () => {
  it('returns whether an issuer is configured', async () => {
    expect(await call(null, 'GET', 'options')).toEqual({ status: 200, body: { openIdConnect: null } });
    expect(await call(unreachable, 'GET', 'options')).toEqual({
      status: 200,
      body: { openIdConnect: { issuer: 'http://127.0.0.1:1' } },
    });
  });

  it('does not exist without an issuer, and has no other paths', async () => {
    const statuses = [
      await call(null, 'POST', 'authorization', { redirectUri: 'http://localhost/sign-in/callback' }),
      await call(null, 'POST', 'token', { refreshToken: 'x' }),
      await call(unreachable, 'GET', 'token'),
      await call(unreachable, 'POST', 'options'),
      await call(unreachable, 'POST', 'elsewhere'),
    ].map(({ status }) => status);
    expect(statuses).toEqual([404, 404, 404, 404, 404]);
  });

  it.each([
    ['authorization', {}],
    ['authorization', { redirectUri: 'javascript:alert(1)' }],
    ['end', { redirectUri: 'javascript:alert(1)' }],
    ['token', null],
    ['token', { code: 'x', verifier: 'y' }],
    ['token', { code: 1, verifier: 'y', redirectUri: 'http://localhost/' }],
  ])('refuses an incomplete body (%s)', async (name, value) => {
    expect(await call(unreachable, 'POST', name, value)).toMatchObject({
      status: 400,
      body: { errors: [{ extensions: { code: 'BAD_REQUEST' } }] },
    });
  });

  it('reports that the issuer is unreachable, and logs the reason', async () => {
    const answer = await call(unreachable, 'POST', 'token', { refreshToken: 'x' });
    expect(answer.status).toBe(503);
    expect(answer.body.errors[0].message).toContain('http://127.0.0.1:1 cannot be reached');
    expect(failures).toHaveLength(1);
  });

  it('returns where to sign out at the issuer, or that there is no such place', async () => {
    const offering = {
      issuer: 'x',
      end: async (uri: string) => `https://x/end?to=${uri}`,
    } as unknown as BrowserSignIn;
    const answer = await call(offering, 'POST', 'end', { redirectUri: 'http://localhost/' });
    expect(answer).toEqual({ status: 200, body: { url: 'https://x/end?to=http://localhost/' } });
    const silent = { issuer: 'x', end: async () => null } as unknown as BrowserSignIn;
    const none = await call(silent, 'POST', 'end', { redirectUri: 'http://localhost/' });
    expect(none).toEqual({ status: 200, body: { url: null } });
  });

  it('uses the first token that the site accepts', async () => {
    const issued = { candidates: ['opaque', 'id-token'], refreshToken: 'next' };
    const granting = { issuer: 'x', renew: async () => issued } as unknown as BrowserSignIn;
    expect(await call(granting, 'POST', 'token', { refreshToken: 'x' }, ['id-token'])).toEqual({
      status: 200,
      body: { token: 'id-token', expiresAt: 5, refreshToken: 'next' },
    });
    expect(await call(granting, 'POST', 'token', { refreshToken: 'x' })).toMatchObject({ status: 403 });
  });
});
