/** Sign-in to the web console at an OpenID Connect issuer, in a real browser. */
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accessibilityFaults, browserMissing, openBrowser } from '../support/browser.ts';
import { SignInIssuer } from '../support/issuer.ts';
import { build, type ServerProcess, scratchDirectory, startServer } from '../support/server-process.ts';

const scratch = scratchDirectory();
afterAll(scratch.remove);

const audience = 'https://leasegraph.example';
const issuer = new SignInIssuer({
  audience,
  clientId: 'leasegraph-console',
  // Shorter than what the console waits for: it renews the token before each use.
  accessTokenTtl: 20,
  roles: { alice: 'lease-users', olga: 'lease-operators' },
});

describe.skipIf(browserMissing !== null)('signing in at an issuer', () => {
  let server: ServerProcess;
  const address = (path: string) => new URL(path, server.url).href;

  beforeAll(async () => {
    await build();
    await issuer.listen();
    server = await startServer({
      dataDir: join(scratch.path, 'data'),
      config: {
        identity: {
          openIdConnect: {
            issuer: issuer.issuer,
            audience,
            roles: { 'lease-users': 'USER', 'lease-operators': 'OPERATOR' },
            console: { clientId: 'leasegraph-console', scope: 'openid profile lease', resource: audience },
          },
        },
      },
    });
    await issuer.serve(address('/sign-in/callback'), address('/'));
  }, 120_000);
  afterAll(async () => {
    issuer.stop();
    await server?.stop('SIGKILL');
  });

  const logIn = async (page: Page, name: string) => {
    await page.getByRole('button', { name: /^Continue with 127\.0\.0\.1/ }).click();
    await page.getByLabel('Name').fill(name);
    await page.getByRole('button', { name: 'Log in' }).click();
  };

  it('returns to the page that was asked for, with the rights of the person, and renews the token', async () => {
    await using browser = await openBrowser();
    const page = await browser.newPage();
    await page.goto(address('/leases?state=Running'));
    await page.getByLabel('Token').waitFor();
    await page.getByRole('button', { name: /^Continue with/ }).waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await logIn(page, 'alice');
    await page.getByText('oidc:alice (user)').waitFor();
    await page.getByRole('heading', { level: 1, name: 'Leases' }).waitFor();
    expect(page.url()).toBe(address('/leases?state=Running'));
    expect(await page.getByRole('link', { name: 'Access' }).count()).toBe(0);

    await page.getByRole('link', { name: 'Nodes', exact: true }).click();
    await page.getByRole('table').waitFor();
    expect(issuer.granted[0]).toBe('authorization_code');
    const renewals = () => issuer.granted.filter((grant) => grant === 'refresh_token').length;
    await expect.poll(renewals).toBeGreaterThan(1);

    await page.reload();
    await page.getByText('oidc:alice (user)').waitFor();
    // At the issuer as well: it asks for the name again.
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: /sign me out/ }).click();
    await page.getByLabel('Token').waitFor();
    expect(page.url()).toBe(address('/'));
    await page.reload();
    await page.getByLabel('Token').waitFor();
    await page.getByRole('button', { name: /^Continue with/ }).click();
    await page.getByLabel('Name').waitFor();
  });

  it('says why a person was not signed in', async () => {
    await using browser = await openBrowser();
    const page = await browser.newPage();
    const refusal = async () => (await page.getByRole('alert').textContent()) ?? '';
    await page.goto(address('/'));
    await logIn(page, '');
    await expect.poll(refusal).toContain('You were not signed in');
    await logIn(page, 'nobody');
    await expect.poll(refusal).toContain('this site does not accept its token');
    await page.goto(address('/sign-in/callback?code=stolen&state=guessed'));
    await expect.poll(refusal).toContain('was not begun in this tab');
  });
});
