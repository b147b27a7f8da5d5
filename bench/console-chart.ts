/** Frames of the console's schedule chart while it pans, with many nodes and reservations in view. */

import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { browserMissing, openBrowser } from '../test/support/browser.ts';
import { percentile } from './support/statistics.ts';
import type { Cell, Table } from './support/table.ts';

const built = fileURLToPath(new URL('../dist/console', import.meta.url));
const hour = 3_600_000;
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
  const server = createServer((request, response) => {
    const path = request.url ?? '/';
    if (path.startsWith('/graphql')) {
      let body = '';
      request.on('data', (chunk) => {
        body += chunk;
      });
      request.on('end', () => {
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify({ data: answer(JSON.parse(body || '{}'), nodes, reservations) }));
      });
      return;
    }
    const file = path.startsWith('/assets/') ? path : '/index.html';
    const types: Readonly<Record<string, string>> = {
      '.js': 'text/javascript',
      '.css': 'text/css',
      '.svg': 'image/svg+xml',
    };
    response.setHeader('content-type', types[extname(file)] ?? 'text/html');
    response.end(readFileSync(join(built, file)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  await using browser = await openBrowser({ width: 1400, height: 1200 });
  try {
    const page = await browser.newPage();
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/schedule`);
    await page.getByLabel('Token').fill('any');
    await page.getByRole('button', { name: 'Sign in' }).click();
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
  } finally {
    server.close();
  }
}

/** What the API would answer. */
function answer({ query = '' }: { query?: string }, nodes: number, reservations: number): object {
  const now = Date.now();
  if (query.includes('ConsoleViewer')) {
    return {
      viewer: { name: 'bench', role: 'VIEWER', projects: [] },
      site: { name: 'bench', resourceTypes: ['CPU'], clockSpeed: 1 },
      serverTime: new Date(now).toISOString(),
    };
  }
  if (query.includes('ConsoleNodes')) {
    const all = Array.from({ length: nodes }, (_, index) => ({
      id: `n${index}`,
      number: index + 1,
      hostname: `node-${index + 1}`,
      labels: [],
      capacity: [],
      available: [],
    }));
    return { nodes: { totalCount: nodes, nodes: all, pageInfo: { hasNextPage: false, endCursor: null } } };
  }
  const each = reservations / nodes;
  const kinds = ['VM', 'VM', 'VM', 'SUSPENSION', 'RESUMPTION', 'VM', 'SHUTDOWN'];
  const span = (5 * hour) / each;
  return {
    schedule: {
      isComplete: true,
      reservations: Array.from({ length: reservations }, (_, index) => {
        const start = now - hour + Math.floor(index / nodes) * span;
        return {
          id: `r${index}`,
          kind: kinds[index % kinds.length],
          state: 'SCHEDULED',
          start: new Date(start).toISOString(),
          end: new Date(start + span * 0.9).toISOString(),
          nodes: [(index % nodes) + 1],
          leaseNumber: index + 1,
          leaseName: `lease ${index + 1}`,
          leaseState: 'ACTIVE',
        };
      }),
    },
  };
}
