/** The web console in a real browser, against the built program. */
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accessibilityFaults, browserMissing, openBrowser } from '../support/browser.ts';
import { tabTo } from '../support/console.ts';
import { freePort } from '../support/postgres.ts';
import { build, type ServerProcess, scratchDirectory, startServer } from '../support/server-process.ts';

const scratch = scratchDirectory();
afterAll(scratch.remove);

const machines = [
  {
    count: 2,
    capacity: [
      { type: 'CPU', amount: 100 },
      { type: 'Memory', amount: 256 },
    ],
  },
];

describe.skipIf(browserMissing !== null)(`the console${browserMissing ? `: ${browserMissing}` : ''}`, () => {
  let port: number;
  let server: ServerProcess;
  const start = () =>
    startServer({ dataDir: join(scratch.path, 'data'), environment: { PORT: String(port) } });
  const address = (path: string) => new URL(path, server.url).href;

  const ask = async (query: string, variables: object = {}) => {
    const response = await fetch(server.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${server.token}` },
      body: JSON.stringify({ query, variables }),
    });
    return ((await response.json()) as { data: Record<string, unknown> }).data;
  };
  const request = async (name: string, duration = 'PT1H') => {
    const { requestLease } = await ask(
      'mutation ($input: RequestLeaseInput!) { requestLease(input: $input) { lease { number } } }',
      { input: { type: 'BEST_EFFORT', name, duration, machines } },
    );
    return (requestLease as { lease: { number: number } }).lease.number;
  };
  const stateOf = async (number: number) =>
    (
      (await ask('query ($number: Int!) { lease(number: $number) { state } }', { number })).lease as {
        state: string;
      }
    ).state;

  const signIn = async (page: Page, path = '/') => {
    await page.goto(address(path));
    await page.getByLabel('Token').fill(server.token);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('navigation', { name: 'Main' }).waitFor();
  };
  const follow = async (page: Page, link: string) => {
    await page.getByRole('link', { name: link, exact: true }).click();
    await page.getByRole('heading', { level: 1, name: link }).waitFor();
  };

  beforeAll(async () => {
    await build();
    port = await freePort();
    server = await start();
    for (let index = 1; index <= 6; index += 1) await request(`experiment ${index}`, `PT${index}H`);
  }, 120_000);
  afterAll(() => server?.stop('SIGKILL'));

  it('refuses a wrong token in the words of the server', async () => {
    await using browser = await openBrowser();
    const page = await browser.newPage();
    await page.goto(address('/'));
    await page.getByLabel('Token').fill('wrong');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await expect.poll(() => page.getByRole('alert').textContent()).toContain('does not accept this token');
  });

  it.each([
    { width: 1280, colorScheme: 'light' as const },
    { width: 1280, colorScheme: 'dark' as const },
    { width: 390, colorScheme: 'light' as const },
  ])('shows every page, and axe finds nothing ($width px, $colorScheme)', async (options) => {
    await using browser = await openBrowser(options);
    const page = await browser.newPage();
    const foreign: string[] = [];
    page.on('request', (sent) => {
      if (!sent.url().startsWith(address('/')) && !/^ws:/.test(sent.url())) foreign.push(sent.url());
    });
    const problems: string[] = [];
    page.on('pageerror', (error) => problems.push(error.message));
    await signIn(page);
    const faults: Record<string, string[]> = {};
    for (const link of [
      'Overview',
      'Schedule',
      'Leases',
      'Recurrences',
      'Nodes',
      'Queue',
      'New lease',
      'Notices',
      'Accounting',
      'Projects',
      'Webhooks',
      'Access',
    ]) {
      await follow(page, link);
      await page.waitForLoadState('networkidle');
      faults[link] = await accessibilityFaults(page);
      // Nothing makes the page itself scroll sideways.
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(
        options.width,
      );
    }
    await page.goto(address('/leases/1'));
    await page.getByRole('heading', { level: 1, name: '1' }).waitFor();
    faults.lease = await accessibilityFaults(page);
    await page.goto(address('/nodes/1'));
    await page.getByText('Free now').waitFor();
    faults.node = await accessibilityFaults(page);
    expect(Object.entries(faults).filter(([, found]) => found.length > 0)).toEqual([]);
    expect({ foreign, problems }).toEqual({ foreign: [], problems: [] });
  });

  it('requests, watches and cancels a lease with the keyboard alone', async () => {
    await using browser = await openBrowser();
    const page = await browser.newPage();
    await page.goto(address('/'));
    await tabTo(page, /Token/);
    await page.keyboard.type(server.token);
    await page.keyboard.press('Enter');
    await page.getByRole('navigation', { name: 'Main' }).waitFor();
    await tabTo(page, /^\s*New lease$/);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'New lease' }).waitFor();
    await tabTo(page, /^Name/);
    await page.keyboard.type('by keyboard');
    await page.keyboard.press('Enter');
    const heading = page.getByRole('heading', { level: 1, name: /^Lease \d+/ });
    await heading.waitFor();
    const number = Number((await heading.textContent())?.replace(/\D/g, ''));
    await expect.poll(() => stateOf(number)).toBe('ACTIVE');
    await page.getByText('Active').first().waitFor();
    await tabTo(page, /^\s*Cancel lease$/);
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await tabTo(page, /^\s*Cancel lease$/);
    await page.keyboard.press('Enter');
    await expect.poll(() => stateOf(number)).toBe('CANCELLED');
    await page.getByText('Cancelled').first().waitFor();
  });

  it('creates a token for a user, whom it offers what a user may do and shows what a user may see', async () => {
    await using browser = await openBrowser();
    const page = await browser.newPage();
    await signIn(page);
    await follow(page, 'Access');
    const tokens = page.getByRole('region', { name: 'Tokens' });
    await tokens.getByLabel('Name').fill('alice');
    await tokens.getByRole('button', { name: 'Create token' }).click();
    const secret = await tokens.getByRole('status').locator('code').textContent();
    expect(await accessibilityFaults(page)).toEqual([]);

    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Token').fill(secret ?? '');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('alice (user)').waitFor();
    expect(await page.getByRole('link', { name: 'Access' }).count()).toBe(0);
    await follow(page, 'Leases');
    await page.getByText('There are no leases that you may see').waitFor();
    await page.goto(address('/leases/1'));
    await page.getByRole('heading', { level: 1, name: 'Lease not found' }).waitFor();
  });

  it('shows a lease that was requested elsewhere within 2 s, also after the server was restarted', async () => {
    await using browser = await openBrowser();
    const page = await browser.newPage();
    await signIn(page, '/leases');
    await page.getByRole('heading', { level: 1, name: 'Leases' }).waitFor();
    await page.getByText('experiment 6').waitFor();
    await request('from elsewhere');
    await page.getByRole('cell', { name: 'from elsewhere' }).waitFor({ timeout: 5_000 });

    // Each event once, across the restart: sequence numbers have no gaps.
    const sequences: number[] = [];
    page.on('websocket', (socket) =>
      socket.on('framereceived', ({ payload }) => {
        const [, sequence] = /"sequence":(\d+)/.exec(String(payload)) ?? [];
        if (sequence !== undefined) sequences.push(Number(sequence));
      }),
    );
    await page.reload();
    await page.getByText('from elsewhere').waitFor();
    await request('before the restart');
    await page.getByRole('cell', { name: 'before the restart' }).waitFor();
    let loads = 0;
    page.on('framenavigated', () => {
      loads += 1;
    });
    await server.stop('SIGTERM');
    server = await start();
    await request('after the restart');
    await page.getByRole('cell', { name: 'after the restart' }).waitFor({ timeout: 120_000 });
    expect(loads).toBe(0);
    const [first = 0] = sequences;
    expect(sequences.length).toBeGreaterThan(1);
    expect(sequences).toEqual(sequences.map((_, index) => first + index));
  }, 120_000);
});
