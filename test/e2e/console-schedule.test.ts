/** The schedule and the lists of the web console, in a real browser: keyboard, pointer and filters. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accessibilityFaults, browserMissing, openBrowser } from '../support/browser.ts';
import { Site } from '../support/console.ts';
import { build, scratchDirectory, startServer } from '../support/server-process.ts';

const scratch = scratchDirectory();
afterAll(scratch.remove);

const hour = 3_600_000;

describe.skipIf(browserMissing !== null)('the schedule and the lists', () => {
  let site: Site;
  let running: number;
  beforeAll(async () => {
    await build();
    site = new Site(await startServer({ dataDir: scratch.path }));
    running = await site.request('on two nodes', { duration: 'PT2H', machines: await wholeNodes(2) });
  }, 120_000);
  afterAll(() => site?.server.stop('SIGKILL'));

  const wholeNodes = async (count: number) => {
    const { nodes } = await site.ask<{ nodes: { nodes: { capacity: object[] }[] } }>(
      '{ nodes(first: 1) { nodes { capacity { type amount } } } }',
    );
    return [{ count, capacity: nodes.nodes[0]?.capacity }];
  };
  const hasStarted = () => expect.poll(() => site.stateOf(running), { timeout: 60_000 }).toBe('ACTIVE');
  const parameter = (page: Page, name: string) => new URL(page.url()).searchParams.get(name);
  const chartOf = (page: Page) => page.getByRole('application', { name: 'Schedule chart' });
  const detail = (page: Page) => page.locator('.schedule-detail');
  const isDrawn = (page: Page) => detail(page).filter({ hasText: 'Point to a reservation' }).waitFor();

  it('moves, zooms, selects and opens with the keyboard alone', async () => {
    await hasStarted();
    await using browser = await openBrowser();
    const page = await browser.newPage();
    await site.signIn(page, '/schedule');
    await isDrawn(page);
    await chartOf(page).focus();
    await page.keyboard.press('+');
    await expect.poll(() => parameter(page, 'span')).toBe(String(Math.round(6 * hour * 0.7)));
    await page.keyboard.press('-');
    await expect.poll(() => parameter(page, 'span')).toBe(String(6 * hour));
    const from = Date.parse(parameter(page, 'from') ?? '');
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => Date.parse(parameter(page, 'from') ?? '') - from).toBe((6 * hour) / 8);
    await page.keyboard.press('ArrowLeft');
    await expect.poll(() => Date.parse(parameter(page, 'from') ?? '') - from).toBe(0);
    await page.keyboard.press('n');
    await expect
      .poll(() => detail(page).textContent())
      .toMatch(
        new RegExp(
          `^Running of lease ${running} “on two nodes” \\(best effort, active\\) on \\S+ and 1 other node: ` +
            '.* to .* \\(Europe/Berlin\\), 2 h.*, active\\.$',
        ),
      );
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: `Lease ${running}` }).waitFor();
    // The view is in the address: going back shows the same.
    await page.goBack();
    await page.getByRole('heading', { level: 1, name: 'Schedule' }).waitFor();
    expect(Date.parse(parameter(page, 'from') ?? '')).toBe(from);
  });

  it('tells of what the pointer is over, and opens it with a click', async () => {
    await hasStarted();
    await using browser = await openBrowser();
    const page = await browser.newPage();
    await site.signIn(page, '/schedule');
    await isDrawn(page);
    const box = await chartOf(page).boundingBox();
    if (box === null) throw new Error('The chart is not visible.');
    const plot = { left: 144, top: 34 };
    const x = box.x + plot.left + (box.width - plot.left) * 0.35;
    const rows = Array.from({ length: 4 }, (_, row) => box.y + plot.top + 13 + 26 * row);
    const found: boolean[] = [];
    for (const y of rows) {
      await page.mouse.move(x, y);
      await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => resolve(null))));
      found.push((await detail(page).textContent())?.includes(`lease ${running} “on two nodes”`) ?? false);
    }
    expect(found.filter(Boolean).length).toBe(2);
    await page.mouse.click(x, rows[found.indexOf(true)] ?? 0);
    await page.getByRole('heading', { level: 1, name: `Lease ${running}` }).waitFor();
  });

  it('shows only leases in the states and nodes that are asked for, as the address says', async () => {
    await hasStarted();
    await using browser = await openBrowser();
    const page = await browser.newPage();
    await site.signIn(page, '/schedule');
    await isDrawn(page);
    await chartOf(page).press('n');
    await detail(page).filter({ hasText: 'on two nodes' }).waitFor();
    await page.getByLabel('Lease state').selectOption('Waiting');
    await detail(page).filter({ hasText: 'Nothing with these filters ran or is planned' }).waitFor();
    expect(parameter(page, 'lease-state')).toBe('Waiting');
    await page.getByLabel('Lease state').selectOption('ACTIVE');
    await detail(page).filter({ hasText: 'Nothing' }).waitFor({ state: 'hidden' });
    await page.getByLabel('Node state').selectOption('DOWN');
    await page.reload();
    expect(await page.getByLabel('Lease state').inputValue()).toBe('ACTIVE');
    expect(await page.getByLabel('Node state').inputValue()).toBe('DOWN');
    await chartOf(page).press('n');
    await detail(page).filter({ hasText: 'Point to a reservation' }).waitFor();
  });

  it('keeps the filters and the order of leases in the address', async () => {
    await hasStarted();
    const later = await site.request('later', {
      type: 'ADVANCE_RESERVATION',
      start: '2090-01-01T09:00:00Z',
    });
    const state = await site.stateOf(later);
    expect(state).not.toBe('ACTIVE');
    await using browser = await openBrowser();
    const page = await browser.newPage();
    await site.signIn(page, '/leases');
    const numbers = async () =>
      (await page.locator('tbody tr td:first-child').allTextContents()).map((text) => Number(text));
    await expect.poll(numbers).toEqual([later, running]);
    await page.getByLabel('Order').selectOption({ label: 'Start, earliest first' });
    await expect.poll(numbers).toEqual([running, later]);
    await page.getByLabel('State').selectOption(state);
    await expect.poll(numbers).toEqual([later]);
    await page.reload();
    await expect.poll(numbers).toEqual([later]);
    expect(await page.getByLabel('State').inputValue()).toBe(state);
    expect(await page.getByLabel('Order').inputValue()).toBe('START_FIRST');
    await page.getByLabel('State').selectOption('');
    await page.getByText('More filters').click();
    await page.getByLabel('Runs after (Europe/Berlin)').fill('2089-12-31T00:00');
    await expect.poll(numbers).toEqual([later]);
    await page.getByLabel('Runs after (Europe/Berlin)').fill('');
    await page.getByLabel('Number', { exact: true }).fill(String(running));
    await expect.poll(numbers).toEqual([running]);

    // From a node to its leases, and from a lease to those of its owner.
    const { lease } = await site.ask<{
      lease: { machines: { node: { number: number; hostname: string } }[] };
    }>('query ($number: Int!) { lease(number: $number) { machines { node { number hostname } } } }', {
      number: running,
    });
    const node = lease.machines[0]?.node;
    await page.goto(site.address(`/nodes/${node?.number}`));
    await page.getByRole('link', { name: 'Leases on this node' }).click();
    await expect.poll(async () => (await numbers()).includes(running)).toBe(true);
    await page.getByRole('button', { name: `On ${node?.hostname}` }).click();
    await expect.poll(numbers).toEqual([later, running]);
    await page.goto(site.address(`/leases/${later}`));
    await page.getByRole('link', { name: 'admin' }).click();
    await expect.poll(numbers).toEqual([later, running]);
    expect(parameter(page, 'owner')).toBe('admin');
    await page.getByLabel('Owner').selectOption('');
    await expect.poll(() => parameter(page, 'owner')).toBe(null);
  });

  it('finds records of the audit log by principal and mutation', async () => {
    await using browser = await openBrowser();
    const page = await browser.newPage();
    await site.signIn(page, '/access');
    const log = page.getByRole('region', { name: 'Audit log' });
    await log.getByRole('cell', { name: 'requestLease' }).first().waitFor();
    await log.getByLabel(/^Mutation/).fill('cancelLease');
    await log.getByText('No record has exactly these names.').waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await log.getByLabel(/^Mutation/).fill('requestLease');
    await log.getByRole('cell', { name: 'requestLease' }).first().waitFor();
    expect(parameter(page, 'mutation')).toBe('requestLease');
  });
});
