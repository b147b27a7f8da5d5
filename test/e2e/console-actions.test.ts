/** What people do in the web console, in a real browser, with its outcome checked through the API. */
import { readFileSync } from 'node:fs';
import { DateTime } from 'luxon';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { accessibilityFaults, browserMissing, openBrowser } from '../support/browser.ts';
import { follow, Site } from '../support/console.ts';
import { type DatabaseKind, describeDatabase } from '../support/databases.ts';
import { postgresMissing } from '../support/postgres.ts';
import { build, startServer } from '../support/server-process.ts';

/** As long as a busy machine needs. */
const soon = { timeout: 120_000 };

/** console.test.ts runs on the embedded database. */
const kind = postgresMissing === null ? 'server' : 'embedded';

const actions = (database: DatabaseKind) => {
  let site: Site;
  beforeAll(async () => {
    await build();
    const config = { scheduler: { suspension: 'all', preemption: 'ar-preempts-everything' } };
    const { databaseUrl, dataDir } = await database.create();
    const environment = databaseUrl === null ? {} : { DATABASE_URL: databaseUrl };
    site = new Site(await startServer({ dataDir, config, environment }));
  }, 120_000);
  afterAll(() => site?.server.stop('SIGKILL'));
  beforeEach(() => site.cancelAll());

  const stateOfNode = async (number: number) => (await site.nodes()).find((node) => node.number === number)?.state;

  it('requests a lease: says what is wrong beside the field, what would happen, and loses nothing typed', async () => {
    await using browser = await openBrowser();
    const page = await browser.newPage();
    await site.signIn(page, '/leases/new');
    await page.getByLabel('Name (optional)').fill('from the form');
    await page.getByLabel('Number of machines').fill('two');
    await page.getByLabel('Duration').fill('soon');
    await page.getByRole('button', { name: 'Request lease' }).click();
    const count = page.getByLabel('Number of machines');
    expect(await count.evaluate((element) => element === document.activeElement)).toBe(true);
    const described = async (label: string) =>
      page.locator(`#${await page.getByLabel(label).getAttribute('aria-describedby')}`).textContent();
    expect(await described('Number of machines')).toBe('Enter a whole number of at least 1.');
    expect(await described('Duration')).toBe('“soon” is not a duration. Examples: 90m, 1h 30m, 2d, PT1H30M.');
    expect(await accessibilityFaults(page)).toEqual([]);

    // What only the server knows is placed in the same way.
    await count.fill('2');
    await page.getByLabel('Duration').fill('90m');
    await page.getByLabel('CPU', { exact: true }).fill('999999999');
    await page.getByText(/Would be rejected/).waitFor();
    await page.getByLabel('CPU', { exact: true }).fill('100');
    await page.getByText(/Would start/).waitFor();
    await page.getByText('No other lease is displaced.').waitFor();
    await page.getByText(/^Earliest start/).waitFor();

    await follow(page, 'Leases');
    await page.reload();
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'New lease' }).click();
    expect(await page.getByLabel('Name (optional)').inputValue()).toBe('from the form');
    expect(await page.getByLabel('Duration').inputValue()).toBe('90m');

    // A window of the calendar makes it a reservation.
    await page.getByRole('listitem').filter({ hasText: 'or later' }).first().getByRole('button').click();
    expect(await page.getByLabel('Type').inputValue()).toBe('ADVANCE_RESERVATION');
    await page.getByRole('button', { name: 'Request lease' }).click();
    const heading = page.getByRole('heading', { level: 1, name: /^Lease \d+/ });
    await heading.waitFor();
    const number = Number((await heading.textContent())?.replace(/\D/g, ''));
    const { lease } = await site.ask<{ lease: object }>(
      'query ($number: Int!) { lease(number: $number) { name type requestedDuration machines { index } } }',
      { number },
    );
    expect(lease).toEqual({
      name: 'from the form',
      type: 'ADVANCE_RESERVATION',
      requestedDuration: 'PT1H30M',
      machines: [{ index: 1 }, { index: 2 }],
    });

    // The draft is gone, and a template fills the form once.
    await page.getByRole('link', { name: 'Request again' }).click();
    await expect.poll(() => page.getByLabel('Duration').inputValue(), soon).toBe('1 h 30 min');
    await page.getByLabel('Duration').fill('3h');
    await site.request('elsewhere');
    await expect.poll(() => page.getByLabel('Start from an earlier lease').textContent(), soon).toContain('elsewhere');
    expect(await page.getByLabel('Duration').inputValue()).toBe('3h');
  });

  it('shows what a request would displace before it is made', async () => {
    const running = await site.request('in the way', { duration: 'PT5H', machines: [fullNode] });
    await expect.poll(() => site.stateOf(running), soon).toBe('ACTIVE');
    await using browser = await openBrowser();
    const page = await browser.newPage();
    await site.signIn(page, '/leases/new');
    await page.getByLabel('Number of machines').fill('4');
    await page.getByLabel('CPU', { exact: true }).fill(String(fullNode.capacity[0]?.amount));
    await page.getByLabel('Type').selectOption('ADVANCE_RESERVATION');
    const start = DateTime.now().plus({ hours: 1 }).setZone('Europe/Berlin');
    await page.getByLabel('Start (Europe/Berlin)').fill(start.toFormat("yyyy-MM-dd'T'HH:mm"));
    const preview = page.getByRole('status').filter({ hasText: /Would/ });
    await preview.getByRole('link', { name: String(running), exact: true }).waitFor();
  });

  it('extends, moves and ends a lease, and shows before what that would displace', async () => {
    const running = await site.request('extended', { duration: 'PT1M' });
    const reservation = await site.request('moved', {
      type: 'ADVANCE_RESERVATION',
      start: '2090-01-01T09:00:00Z',
      machines: [{ ...fullNode, count: 4 }],
    });
    await expect.poll(() => site.stateOf(running), soon).toBe('ACTIVE');
    await using browser = await openBrowser();
    const page = await browser.newPage();
    await site.signIn(page, `/leases/${running}`);
    const dialog = page.getByRole('dialog');
    const preview = dialog.getByRole('status');
    const change = dialog.getByRole('button', { name: 'Change lease' });
    await page.getByRole('button', { name: 'Change', exact: true }).click();
    expect(await change.isDisabled()).toBe(true);
    await dialog.getByLabel('Duration').fill('soon');
    await dialog.getByText('“soon” is not a duration').waitFor();
    await dialog.getByLabel('Duration').fill('2h');
    await preview.getByText('No other lease is displaced.').waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await change.click();
    await page.getByText('2 h, of which it ran').waitFor();
    const termsOf = (number: number) =>
      site.ask<{ lease: object }>(
        'query ($number: Int!) { lease(number: $number) { requestedDuration requestedStart } }',
        { number },
      );
    expect((await termsOf(running)).lease).toMatchObject({ requestedDuration: 'PT2H' });

    // The reservation takes the nodes of the lease that runs.
    await page.goto(site.address(`/leases/${reservation}`));
    await page.getByRole('button', { name: 'Change', exact: true }).click();
    const start = DateTime.now().plus({ hours: 1 }).setZone('Europe/Berlin').startOf('minute');
    await dialog.getByLabel('Start (Europe/Berlin)').fill(start.toFormat("yyyy-MM-dd'T'HH:mm"));
    await preview.getByRole('link', { name: String(running), exact: true }).waitFor();
    // What is beyond the lease is refused in the words of the server, and nothing that was typed is lost.
    await dialog.getByLabel('Start (Europe/Berlin)').fill('2001-01-01T10:00');
    await dialog.getByText(/before the earliest time that can be planned/).waitFor();
    expect(await change.isDisabled()).toBe(true);
    await page.reload();
    await page.getByRole('button', { name: 'Change', exact: true }).click();
    expect(await dialog.getByLabel('Start (Europe/Berlin)').inputValue()).toBe('2001-01-01T10:00');
    await dialog.getByLabel('Start (Europe/Berlin)').fill(start.toFormat("yyyy-MM-dd'T'HH:mm"));
    await change.click();
    await dialog.waitFor({ state: 'hidden' });
    expect((await termsOf(reservation)).lease).toMatchObject({ requestedStart: start.toUTC().toISO() });

    await page.goto(site.address(`/leases/${running}`));
    await page.getByRole('button', { name: 'End now' }).click();
    await dialog.getByText('No other lease would start earlier.').waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'End lease' }).click();
    await expect.poll(() => site.stateOf(running), soon).toBe('DONE');
    await page.getByText('Done').first().waitFor();
  });

  it('cancels a lease, and shows before which lease would start earlier', async () => {
    const running = await site.request('all nodes', { machines: [{ ...fullNode, count: 4 }] });
    await expect.poll(() => site.stateOf(running), soon).toBe('ACTIVE');
    const next = await site.request('waits', { machines: [{ ...fullNode, count: 4 }] });
    await using browser = await openBrowser();
    const page = await browser.newPage();
    await site.signIn(page, `/leases/${running}`);
    await page.getByRole('button', { name: 'Cancel lease' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('One lease would start earlier:').waitFor();
    await dialog.getByRole('link', { name: String(next), exact: true }).waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Cancel lease' }).click();
    await dialog.waitFor({ state: 'hidden' });
    expect(await site.stateOf(running)).toBe('CANCELLED');
    await expect.poll(() => site.stateOf(next), soon).toBe('ACTIVE');
  });

  it('drains, marks down and resumes a node, and plans and ends maintenance', async () => {
    const running = await site.request('on the nodes', { machines: [{ ...fullNode, count: 4 }] });
    await expect.poll(() => site.stateOf(running), soon).toBe('ACTIVE');
    await using browser = await openBrowser();
    const page = await browser.newPage();
    await site.signIn(page, '/nodes');
    const row = page.getByRole('row').filter({ has: page.getByRole('cell', { name: '3', exact: true }) });
    await row.getByRole('button', { name: /^Drain/ }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('link', { name: String(running), exact: true }).waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Drain node' }).click();
    await row.getByText('Draining').waitFor();
    expect(await stateOfNode(3)).toBe('DRAINING');
    await row.getByRole('button', { name: /^Resume/ }).click();
    await dialog.getByRole('button', { name: 'Resume node' }).click();
    await row.getByText('Up').waitFor();
    expect(await stateOfNode(3)).toBe('UP');

    await row.getByRole('link').click();
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.getByRole('button', { name: /^Mark down/ }).click();
    await dialog.getByRole('button', { name: 'Mark node down' }).click();
    await page.locator('.badge', { hasText: 'Down' }).waitFor();
    expect(await stateOfNode(3)).toBe('DOWN');
    await expect.poll(() => site.stateOf(running), soon).not.toBe('ACTIVE');
    await page.getByRole('button', { name: /^Resume/ }).click();
    await dialog.getByRole('button', { name: 'Resume node' }).click();
    await page.locator('.badge', { hasText: 'Up' }).waitFor();
    await expect.poll(() => site.stateOf(running), soon).toBe('ACTIVE');

    await page.getByRole('button', { name: 'Plan maintenance' }).click();
    const inAnHour = DateTime.now().plus({ hours: 1 }).setZone('Europe/Berlin');
    await dialog.getByLabel(/^Start/).fill(inAnHour.toFormat("yyyy-MM-dd'T'HH:mm"));
    await dialog.getByLabel(/^End/).fill(inAnHour.plus({ hours: 1 }).toFormat("yyyy-MM-dd'T'HH:mm"));
    await dialog
      .getByRole('status')
      .getByRole('link', { name: String(running), exact: true })
      .waitFor();
    await dialog.getByLabel(/^Start/).fill('2090-01-01T10:00');
    await dialog.getByLabel(/^End/).fill('2090-01-01T09:00');
    await dialog.getByRole('alert').waitFor();
    expect(await dialog.getByRole('button', { name: 'Plan maintenance' }).isDisabled()).toBe(true);
    await dialog.getByLabel(/^End/).fill('2090-01-01T12:00');
    await dialog.getByLabel(/^Reason/).fill('new disks');
    await dialog.getByRole('button', { name: 'Plan maintenance' }).click();
    await page.getByRole('cell', { name: 'new disks' }).waitFor();
    const planned = async () =>
      (
        await site.ask<{ maintenance: { nodes: object[] } }>(
          '{ maintenance { nodes { reason start end nodes { number } } } }',
        )
      ).maintenance.nodes;
    // Berlin is an hour ahead of UTC in January.
    expect(await planned()).toEqual([
      {
        reason: 'new disks',
        start: '2090-01-01T09:00:00.000Z',
        end: '2090-01-01T11:00:00.000Z',
        nodes: [{ number: 3 }],
      },
    ]);
    await page.getByRole('button', { name: /^Cancel maintenance/ }).click();
    await dialog.getByText('The server would accept this.').waitFor();
    await dialog.getByRole('button', { name: 'Cancel maintenance' }).click();
    await page.getByText('No maintenance is under way or planned.').waitFor();
    expect(await planned()).toEqual([]);
  });

  it('creates a recurrence with a preview, and cancels it from an occurrence on', async () => {
    await using browser = await openBrowser();
    const page = await browser.newPage();
    await site.signIn(page, '/recurrences/new');
    await page.getByLabel('Name (optional)').fill('nightly');
    await page.getByLabel('First start (Europe/Berlin)').fill('2090-01-01T22:00');
    await page.getByLabel('Frequency').selectOption('DAILY');
    await page.getByLabel('How often').fill('3');
    await page.getByText('Every day, 3 times.').waitFor();
    await page.getByText('Would be created.').waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.getByRole('button', { name: 'Create recurrence' }).click();
    await page.getByRole('heading', { level: 1, name: /^Recurrence \d+/ }).waitFor();
    const upcoming = async () =>
      (
        await site.ask<{ recurrences: { nodes: { upcoming: object[] }[] } }>(
          '{ recurrences { nodes { name rule upcoming { start } } } }',
        )
      ).recurrences.nodes;
    // Berlin is an hour ahead of UTC in January.
    expect(await upcoming()).toEqual([
      {
        name: 'nightly',
        rule: 'FREQ=DAILY;COUNT=3',
        upcoming: [1, 2, 3].map((day) => ({ start: `2090-01-0${day}T21:00:00.000Z` })),
      },
    ]);
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.getByRole('button', { name: 'Change from here occurrence 2' }).click();
    const dialog = page.getByRole('dialog');
    const change = dialog.getByRole('button', { name: 'Change occurrences' });
    const preview = dialog.getByRole('status');
    const startOfSecond = dialog.getByLabel('Start of occurrence 2 (Europe/Berlin)');
    await dialog.getByText('Change a term to see what would happen.').waitFor();
    expect(await change.isDisabled()).toBe(true);
    // What would be refused is said before, and cannot be confirmed.
    await startOfSecond.fill('2001-01-01T10:00');
    await dialog.getByRole('alert').or(preview.getByText('Would be refused.')).waitFor();
    expect(await change.isDisabled()).toBe(true);
    await startOfSecond.fill('2090-01-02T23:30');
    await preview.getByText('Would be changed').waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await change.click();
    await dialog.waitFor({ state: 'hidden' });
    expect((await upcoming())[0]?.upcoming).toEqual(
      ['01T21:00', '02T22:30', '03T22:30'].map((time) => ({ start: `2090-01-${time}:00.000Z` })),
    );
    await page.getByRole('button', { name: 'Cancel from here occurrence 2' }).click();
    await dialog.getByText('No occurrence is a lease yet').waitFor();
    await dialog.getByRole('button', { name: 'Cancel occurrences' }).click();
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    expect((await upcoming())[0]?.upcoming).toEqual([{ start: '2090-01-01T21:00:00.000Z' }]);
  });

  it('creates a webhook, shows its secret once, and deletes it', async () => {
    await using browser = await openBrowser();
    const page = await browser.newPage();
    await site.signIn(page, '/webhooks');
    await page.getByLabel('Address (https)').fill('https://hooks.example.org/leases');
    await page.getByLabel('Notices').selectOption('NODE_DOWN');
    await page.getByRole('button', { name: 'Create webhook' }).click();
    await page.getByText('The secret that signs deliveries is shown this once').waitFor();
    await page.getByRole('cell', { name: 'https://hooks.example.org/leases', exact: true }).waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    const webhooks = async () =>
      (await site.ask<{ webhooks: { nodes: object[] } }>('{ webhooks { nodes { url kinds state } } }')).webhooks.nodes;
    expect(await webhooks()).toEqual([
      { url: 'https://hooks.example.org/leases', kinds: ['NODE_DOWN'], state: 'ACTIVE' },
    ]);
    await page.getByRole('button', { name: /^Delete/ }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete webhook' }).click();
    await page.getByText('There are no webhooks.').waitFor();
    expect(await webhooks()).toEqual([]);
  });

  it('sets a quota, and shows members what is left of it', async () => {
    await using browser = await openBrowser();
    const page = await browser.newPage();
    await site.signIn(page, '/projects');
    await page.getByLabel('Name of the project').fill('genomics');
    await page.getByRole('button', { name: 'Create project' }).click();
    await page.getByRole('button', { name: 'Edit quotas of genomics' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Longest duration of a lease').fill('never');
    await dialog.getByRole('button', { name: 'Save quotas' }).click();
    await dialog.getByText('“never” is not a duration').waitFor();
    await dialog.getByLabel('Longest duration of a lease').fill('2h');
    await dialog.getByLabel('Amount held at any instant').fill('250');
    await dialog.getByRole('button', { name: 'Save quotas' }).click();
    await page.getByText('0 of 250 held').waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    const { projects } = await site.ask<{ projects: { nodes: { id: string; quotas: object[] }[] } }>(
      '{ projects { nodes { id quotas { type amount maxDuration maxLeases } } } }',
    );
    expect(projects.nodes[0]?.quotas).toEqual([{ type: 'CPU', amount: 250, maxDuration: 'PT2H', maxLeases: null }]);

    const { createToken } = await site.ask<{ createToken: { secret: string } }>(
      'mutation ($input: CreateTokenInput!) { createToken(input: $input) { secret } }',
      { input: { name: 'alice', role: 'USER', projects: [projects.nodes[0]?.id] } },
    );
    await using other = await openBrowser();
    const member = await other.newPage();
    await site.signIn(member, '/leases/new', createToken.secret);
    await member.getByRole('region', { name: 'Quotas of genomics' }).getByText('0 of 250 held').waitFor();
    await member.getByLabel('Duration').fill('3h');
    await member.getByText(/Would be rejected\. Leases of its project may last/).waitFor();
    expect(await member.getByRole('button', { name: /Edit quotas/ }).count()).toBe(0);
  });

  it('offers what was used as a table and as CSV', async () => {
    const counted = await site.request('counted');
    await expect.poll(() => site.stateOf(counted), soon).toBe('ACTIVE');
    await using browser = await openBrowser();
    const page = await browser.newPage();
    await site.signIn(page, '/accounting?by=OWNER&period=day');
    await page.getByRole('cell', { name: 'admin' }).waitFor();
    const download = async (button: string) => {
      const downloading = page.waitForEvent('download');
      await page.getByRole('button', { name: button, exact: true }).click();
      return readFileSync(await (await downloading).path(), 'utf8').split('\r\n');
    };
    const lines = await download('Download CSV');
    expect(lines[0]).toBe(
      'group,leases,CPU hours requested,CPU hours used,CPU hours lost,' +
        'Memory hours requested,Memory hours used,Memory hours lost,preemptions,waiting',
    );
    expect(lines[1]).toMatch(/^admin,\d+,/);
    expect(lines[2]).toBe('');
    const overTime = await download('Download CSV over time');
    expect(overTime[0]).toBe('start,group,CPU hours used,Memory hours used');
    expect(overTime[1]).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z,admin,/);
    // The same numbers are in the table below the picture: the sums of both agree.
    await page.getByText('As a table').click();
    const periods = page.getByRole('region', { name: 'CPU hours by period' }).getByRole('row');
    expect(await periods.count()).toBe(1 + 12);
    const sum = (from: readonly string[], column: number) =>
      from.reduce((total, line) => total + Number(line.split(',')[column] ?? 0), 0);
    expect(sum(overTime.slice(1), 2)).toBeCloseTo(sum(lines.slice(1), 3), 3);
    expect(await accessibilityFaults(page)).toEqual([]);
  });
};

describe.skipIf(browserMissing !== null)('the console', () => {
  describeDatabase(kind, 'actions', actions);
});

/** A machine that fills a node of the demonstration site. */
const fullNode = {
  count: 1,
  capacity: [
    { type: 'CPU', amount: 400 },
    { type: 'Memory', amount: 256 },
  ],
};
