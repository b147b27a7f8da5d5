/** Frames of the console's schedule chart while it pans, with many nodes and reservations in view. */

import { browserMissing, openBrowser } from '../test/support/browser.ts';
import type { Frame } from '../test/support/frames.ts';
import { scheduled, serveConsole, signIn } from '../test/support/invented-site.ts';
import { panSchedule, readAgain, showAllRows } from '../test/support/pan.ts';
import { percentile } from './support/statistics.ts';
import type { Cell, Table } from './support/table.ts';

/** Milliseconds. */
const target = 33;

export async function consoleChartBenchmark(quick: boolean): Promise<Table[]> {
  if (browserMissing !== null) {
    console.log(browserMissing);
    return [];
  }
  const rows: Cell[][] = [];
  for (const [nodes, reservations] of quick
    ? [[100, 1_000]]
    : [
        [100, 1_000],
        [1_000, 10_000],
      ]) {
    for (const isLive of [false, true]) {
      const found = await measure(nodes ?? 0, reservations ?? 0, isLive);
      rows.push([nodes ?? 0, reservations ?? 0, isLive ? 'yes' : 'no', ...found, target]);
    }
  }
  return [
    {
      title: 'Frames of the schedule chart while it pans, everything in view',
      columns: [
        'nodes',
        'reservations',
        'read again meanwhile',
        'frames',
        'interval: median, ms',
        '99th, ms',
        'work: median, ms',
        '99th, ms',
        'worst, ms',
        'scripting: median, ms',
        '99th, ms',
        'target, ms',
      ],
      rows,
    },
  ];
}

/**
 * Work and scripting are processor time: other processes lengthen only the intervals. `CONSOLE_SLOWDOWN=2` has Chromium
 * take twice the time for everything.
 */
async function measure(nodes: number, reservations: number, isLive: boolean): Promise<Cell[]> {
  let shift = 0;
  using server = await serveConsole(() => ({ nodes, reservations: scheduled(nodes, reservations, shift) }));
  await using browser = await openBrowser({ width: 1400, height: 1200 });
  const page = await browser.newPage();
  const session = await browser.newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate: Number(process.env.CONSOLE_SLOWDOWN ?? 1) });
  await signIn(page, server.url, '/schedule');
  await showAllRows(page);
  // Once the page has subscribed, an event has it read again.
  while (server.events() === 0) {
    server.send(1);
    await page.waitForTimeout(50);
  }
  const change = () => {
    shift += 1;
    server.send(20);
    return shift + 1;
  };
  const frames = await panSchedule(browser, page, {
    frames: isLive ? 80 : 240,
    ...(isLive ? { meanwhile: () => readAgain(page, 5, change) } : {}),
  });
  const share = (of: keyof Frame, percent: number) =>
    percentile(
      frames.map((frame) => frame[of]),
      percent,
    );
  return [
    frames.length,
    share('interval', 50),
    share('interval', 99),
    share('work', 50),
    share('work', 99),
    share('work', 100),
    share('scripting', 50),
    share('scripting', 99),
  ];
}
