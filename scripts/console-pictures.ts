/**
 * Takes the pictures of the web console in docs/. With a folder as argument, takes instead every page there, at three
 * widths and in both themes, of a site with much data, with none, and with long names: for people to look at.
 *
 *   npm run console-pictures [-- FOLDER]
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { browserMissing, openBrowser } from '../test/support/browser.ts';
import { Site } from '../test/support/console.ts';
import { buildProgram, scratchDirectory, startServer } from '../test/support/server-process.ts';

/** Of the site's clock: hours of it pass while the pictures are prepared. */
const speed = 240;
/** Between requests. */
const pauseMs = 500;
const minute = 60_000;
const names = ['align', 'assemble', 'call variants', 'train', 'evaluate', 'render', 'simulate flow', 'sweep', 'index'];
const longName = 'a-name-that-is-longer-than-most-columns-and-has-no-space-in-it-at-all-'.repeat(2).slice(0, 120);

interface Content {
  readonly nodes: number;
  readonly leases: number;
  readonly areNamesLong: boolean;
}

/** The same numbers in each run. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  };
}

async function startSite(dataDir: string, { nodes, areNamesLong }: Content): Promise<Site> {
  const hostname = areNamesLong ? 'compute-node-%d.rack-17.north-building.cluster.example.org' : 'node-%d';
  const config = {
    site: { name: 'cluster', nodes: [{ count: nodes, hostname, capacity: { CPU: 400, Memory: 16_384 } }] },
    scheduler: { suspension: 'all', preemption: 'ar-preempts-everything' },
    clock: { speed },
  };
  return new Site(await startServer({ dataDir, config }));
}

async function now(site: Site): Promise<number> {
  return Date.parse((await site.ask<{ serverTime: string }>('{ serverTime }')).serverTime);
}

/** Leases of several kinds, some of which have run when it returns, reservations, maintenance and a drained node. */
async function fill(site: Site, { nodes, leases, areNamesLong }: Content): Promise<void> {
  const next = numbers(7);
  const begun = await now(site);
  const at = (minutes: number) => new Date(begun + minutes * minute).toISOString();
  // On a slow machine hours of the site's time pass between the first request and the last.
  const ahead = async (minutes: number) => new Date((await now(site)) + minutes * minute).toISOString();
  const machines = (count: number, share: number) => [
    {
      count,
      capacity: [
        { type: 'CPU', amount: share },
        { type: 'Memory', amount: share * 32 },
      ],
    },
  ];
  for (let index = 0; index < leases; index += 1) {
    const name = areNamesLong ? `${longName}${index}` : `${names[index % names.length]} ${index + 1}`;
    const count = 1 + next(Math.min(4, nodes));
    const duration = `PT${20 + 5 * next(30)}M`;
    const isReservation = index % 6 === 5;
    await site.request(name, {
      duration,
      machines: machines(count, isReservation ? 400 : 100 * 2 ** next(3)),
      ...(isReservation ? { type: 'ADVANCE_RESERVATION', start: await ahead(80 + 20 * next(18)) } : {}),
    });
    await sleep(pauseMs);
  }
  const all = await site.nodes();
  await site.ask(
    'mutation ($input: PlanMaintenanceInput!) { planMaintenance(input: $input) { userErrors { code } } }',
    {
      input: {
        nodes: all.slice(-2).map(({ id }) => id),
        start: at(60 * 7),
        end: at(60 * 9),
        reason: areNamesLong ? longName : 'new disks',
        collisions: 'DISPLACE',
      },
    },
  );
  await site.ask('mutation ($input: SetNodeStateInput!) { setNodeState(input: $input) { userErrors { code } } }', {
    input: { id: all[2]?.id, state: 'DRAINING', reason: 'a fan is loud' },
  });
}

async function picture(page: Page, path: string): Promise<void> {
  await page.getByText('Loading…').first().waitFor({ state: 'hidden' });
  await page.waitForTimeout(800);
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 88 });
  writeFileSync(path, Buffer.from(data, 'base64'));
  await session.detach();
}

async function openPage(site: Site, width: number, height: number, colorScheme: 'light' | 'dark', path: string) {
  const browser = await openBrowser({ width, height, colorScheme });
  const page = await browser.newPage();
  await site.signIn(page, path);
  return { browser, page };
}

/** docs/*.webp, which README.md and docs/console.md show. */
async function takePictures(site: Site, folder: string): Promise<void> {
  const shots = [
    ['schedule', 'light', '/schedule?span=36000000', 820],
    ['overview', 'dark', '/', 1_000],
    ['new-lease', 'light', '/leases/new', 1_000],
  ] as const;
  for (const [name, colorScheme, path, height] of shots) {
    const { browser, page } = await openPage(site, 1_280, height, colorScheme, path);
    await using _browser = browser;
    if (name === 'new-lease') {
      await page.getByLabel('Name (optional)').fill('train the model');
      await page.getByLabel('Number of machines').fill('4');
      await page.getByLabel('CPU', { exact: true }).fill('400');
      await page.getByLabel('Type').selectOption('IMMEDIATE');
      await page.getByText(/Would be rejected|Would start/).waitFor();
      await page.getByText('Possible starts in the next').waitFor();
    }
    if (name === 'schedule') {
      await page.getByRole('application').press('f');
      await page.getByRole('application').blur();
    }
    await picture(page, join(folder, `console-${name}.webp`));
  }
}

/** Every page, for people to look at. */
async function takeAll(site: Site, folder: string, prefix: string): Promise<void> {
  const { leases } = await site.ask<{ leases: { nodes: { number: number }[] } }>(
    '{ leases(filter: { live: true }, first: 1) { nodes { number } } }',
  );
  const number = leases.nodes[0]?.number;
  const paths: readonly (readonly [string, string])[] = [
    ['overview', '/'],
    ['schedule', '/schedule'],
    ['leases', '/leases'],
    ['new-lease', '/leases/new'],
    ['recurrences', '/recurrences'],
    ['new-recurrence', '/recurrences/new'],
    ['nodes', '/nodes'],
    ['node', '/nodes/1'],
    ['queue', '/queue'],
    ['notices', '/notices'],
    ['accounting', '/accounting?period=day&by=LEASE'],
    ['projects', '/projects'],
    ['webhooks', '/webhooks'],
    ['access', '/access'],
    ...(number === undefined ? [] : [['lease', `/leases/${number}`] as const]),
  ];
  for (const [width, height] of [
    [390, 844],
    [820, 1_100],
    [1_440, 1_000],
  ] as const) {
    for (const colorScheme of ['light', 'dark'] as const) {
      const { browser, page } = await openPage(site, width, height, colorScheme, '/');
      await using _browser = browser;
      for (const [name, path] of paths) {
        await page.goto(site.address(path));
        await page.getByRole('heading', { level: 1 }).waitFor();
        await picture(page, join(folder, `${prefix}-${name}-${width}-${colorScheme}.webp`));
      }
    }
  }
}

if (browserMissing !== null) throw new Error(browserMissing);
const folder = process.argv[2];
await buildProgram();
const contents: readonly (readonly [string, Content])[] =
  folder === undefined
    ? [['docs', { nodes: 12, leases: 60, areNamesLong: false }]]
    : [
        ['much', { nodes: 40, leases: 120, areNamesLong: false }],
        ['none', { nodes: 4, leases: 0, areNamesLong: false }],
        ['long', { nodes: 6, leases: 20, areNamesLong: true }],
      ];
for (const [name, content] of contents) {
  const scratch = scratchDirectory();
  const site = await startSite(join(scratch.path, 'data'), content);
  try {
    if (content.leases > 0) await fill(site, content);
    if (folder === undefined) await takePictures(site, 'docs');
    else {
      mkdirSync(folder, { recursive: true });
      await takeAll(site, folder, name);
    }
  } finally {
    await site.server.stop('SIGKILL');
    scratch.remove();
  }
}
