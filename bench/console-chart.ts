/** Frames of the console's schedule chart while it pans, with many nodes and reservations in view. */

import { browserMissing, openBrowser } from '../test/support/browser.ts';
import { scheduled, serveConsole, signIn } from './support/console-server.ts';
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
    rows.push([nodes ?? 0, reservations ?? 0, ...(await measure(nodes ?? 0, reservations ?? 0)), target]);
  }
  return [
    {
      title: 'Frames of the schedule chart while it pans, everything in view',
      columns: [
        'nodes',
        'reservations',
        'frames',
        'median, ms',
        '99th, ms',
        'worst, ms',
        'drawing, ms',
        'target, ms',
      ],
      rows,
    },
  ];
}

async function measure(nodes: number, reservations: number): Promise<Cell[]> {
  using server = await serveConsole(() => ({ nodes, reservations: scheduled(nodes, reservations) }));
  await using browser = await openBrowser({ width: 1400, height: 1200 });
  const page = await browser.newPage();
  await signIn(page, server.url, '/schedule');
  const chart = page.getByRole('application', { name: 'Schedule chart' });
  await chart.waitFor();
  await chart.focus();
  await page.keyboard.press('f');
  await page.waitForLoadState('networkidle').catch(() => {});
  const box = await chart.boundingBox();
  if (box === null) throw new Error('The chart is not visible.');
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.down();
  const frames = await page.evaluate(async () => {
    const element = document.querySelector('.schedule-chart') as HTMLElement;
    const bounds = element.getBoundingClientRect();
    const times: number[] = [];
    let last = performance.now();
    for (let index = 0; index < 180; index += 1) {
      const clientX = bounds.left + bounds.width / 2 + 60 * Math.sin(index / 12);
      element.dispatchEvent(
        new PointerEvent('pointermove', {
          pointerId: 1,
          clientX,
          clientY: bounds.top + 300,
          bubbles: true,
        }),
      );
      const now = await new Promise<number>((resolve) =>
        requestAnimationFrame(() => resolve(performance.now())),
      );
      times.push(now - last);
      last = now;
    }
    return times.slice(10);
  });
  await page.mouse.up();
  const session = await browser.newCDPSession(page);
  await session.send('Performance.enable');
  const metrics = async () => {
    const { metrics: all } = await session.send('Performance.getMetrics');
    return all.find(({ name }) => name === 'ScriptDuration')?.value ?? 0;
  };
  const before = await metrics();
  const steps = 30;
  await chart.focus();
  for (let index = 0; index < steps; index += 1)
    await page.keyboard.press(index % 2 ? 'ArrowLeft' : 'ArrowRight');
  const drawing = ((await metrics()) - before) / steps;
  return [
    frames.length,
    percentile(frames, 50),
    percentile(frames, 99),
    Math.max(...frames),
    drawing * 1_000,
  ];
}
