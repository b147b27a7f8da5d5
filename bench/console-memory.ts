/** Memory of pages of the console that stay open while events arrive. */
import { setTimeout as sleep } from 'node:timers/promises';
import { browserMissing, openBrowser } from '../test/support/browser.ts';
import { scheduled, serveConsole, signIn } from '../test/support/invented-site.ts';
import type { Cell, Table } from './support/table.ts';

const eventsPerSecond = 20;
const minute = 60_000;

/** `CONSOLE_MINUTES` is how long the pages stay open; 3 by default. */
export async function consoleMemoryBenchmark(quick: boolean): Promise<Table[]> {
  if (browserMissing !== null) {
    console.log(browserMissing);
    return [];
  }
  const minutes = quick ? 0.5 : Number(process.env.CONSOLE_MINUTES ?? 3);
  const rows: Cell[][] = [];
  for (const result of await Promise.all([measure('/schedule', minutes), measure('/leases', minutes)])) {
    rows.push(...result);
  }
  return [
    {
      title: `Memory of a page at ${eventsPerSecond} events per second, after a garbage collection`,
      columns: ['page', 'minutes', 'events', 'heap, MB', 'DOM nodes', 'listeners'],
      rows,
    },
  ];
}

async function measure(path: string, minutes: number): Promise<Cell[][]> {
  // What the page shows differs at each reading.
  let reading = 0;
  using server = await serveConsole(() => {
    reading += 1;
    return { nodes: 50, reservations: scheduled(50, 500, reading) };
  }, eventsPerSecond);
  await using browser = await openBrowser();
  const page = await browser.newPage();
  await signIn(page, server.url, path);
  await page.getByRole('heading', { level: 1 }).waitFor();
  const session = await browser.newCDPSession(page);
  await session.send('Performance.enable');
  const rows: Cell[][] = [];
  const began = performance.now();
  // Caches fill in the first part; growth shows between the others.
  for (const share of [0.1, 0.25, 0.5, 0.75, 1]) {
    await sleep(Math.max(began + share * minutes * minute - performance.now(), 0));
    await session.send('HeapProfiler.collectGarbage');
    const { metrics } = await session.send('Performance.getMetrics');
    const value = (name: string) => metrics.find((each) => each.name === name)?.value ?? Number.NaN;
    rows.push([
      path,
      share * minutes,
      server.events(),
      value('JSHeapUsedSize') / 2 ** 20,
      value('Nodes'),
      value('JSEventListeners'),
    ]);
  }
  return rows;
}
