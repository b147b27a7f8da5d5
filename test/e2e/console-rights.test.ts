/** What the web console offers to people with different rights, where all of them see all leases. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accessibilityFaults, browserMissing, openBrowser } from '../support/browser.ts';
import { Site } from '../support/console.ts';
import { build, scratchDirectory, startServer } from '../support/server-process.ts';

const scratch = scratchDirectory();
afterAll(scratch.remove);

describe.skipIf(browserMissing !== null)('rights in the console', () => {
  let site: Site;
  beforeAll(async () => {
    await build();
    const config = { identity: { visibility: 'all' } };
    site = new Site(await startServer({ dataDir: scratch.path, config }));
  }, 120_000);
  afterAll(() => site?.server.stop('SIGKILL'));

  const tokenOf = async (name: string, role: string) => {
    const { createToken } = await site.ask<{ createToken: { secret: string } }>(
      'mutation ($input: CreateTokenInput!) { createToken(input: $input) { secret } }',
      { input: { name, role } },
    );
    return createToken.secret;
  };

  it('offers changes of a lease and of a recurrence only to those who may make them', async () => {
    const [alice, bob, carol] = [
      await tokenOf('alice', 'USER'),
      await tokenOf('bob', 'USER'),
      await tokenOf('carol', 'VIEWER'),
    ];
    const request = async <Data>(query: string, input: object): Promise<Data> => {
      const response = await fetch(site.server.url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${alice}` },
        body: JSON.stringify({ query, variables: { input } }),
      });
      return ((await response.json()) as { data: Data }).data;
    };
    const machines = [{ count: 1, capacity: [{ type: 'CPU', amount: 100 }] }];
    const { requestLease } = await request<{ requestLease: { lease: { number: number } } }>(
      'mutation ($input: RequestLeaseInput!) { requestLease(input: $input) { lease { number } } }',
      { type: 'BEST_EFFORT', name: 'of alice', duration: 'PT1H', machines },
    );
    const { number } = requestLease.lease;
    const { createRecurrence } = await request<{ createRecurrence: { recurrence: { id: string } } }>(
      'mutation ($input: CreateRecurrenceInput!) { createRecurrence(input: $input) { recurrence { id } } }',
      {
        name: 'of alice',
        duration: 'PT1H',
        machines,
        rule: 'FREQ=DAILY;COUNT=2',
        timeZone: 'UTC',
        firstStart: '2090-01-01T10:00',
      },
    );
    const recurrence = `/recurrences/${encodeURIComponent(createRecurrence.recurrence.id)}`;
    for (const [token, person, offered] of [
      [alice, 'alice (user)', { lease: 1, again: 1, recurrence: 1, occurrences: 2 }],
      [bob, 'bob (user)', { lease: 0, again: 1, recurrence: 0, occurrences: 0 }],
      [carol, 'carol (viewer)', { lease: 0, again: 0, recurrence: 0, occurrences: 0 }],
    ] as const) {
      await using browser = await openBrowser();
      const page = await browser.newPage();
      await site.signIn(page, `/leases/${number}`, token);
      await page.getByText(person).waitFor();
      await page.getByText('of alice', { exact: true }).waitFor();
      const count = (name: RegExp) => page.getByRole('button', { name }).count();
      expect(await count(/^Cancel lease/)).toBe(offered.lease);
      expect(await count(/^Change$/)).toBe(offered.lease);
      expect(await page.getByRole('link', { name: 'Request again' }).count()).toBe(offered.again);
      await page.goto(site.address(recurrence));
      await page.getByText('FREQ=DAILY;COUNT=2').waitFor();
      expect(await count(/^Cancel recurrence/)).toBe(offered.recurrence);
      expect(await count(/^Change from here/)).toBe(offered.occurrences);
      expect(await accessibilityFaults(page)).toEqual([]);
    }
  });
});
