/** Memory of pages of the console that stay open while events arrive. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { CDPSession } from 'playwright-core';
import { browserMissing, openBrowser } from '../test/support/browser.ts';
import { scheduled, serveConsole, signIn } from '../test/support/invented-site.ts';
import type { Cell, Table } from './support/table.ts';

const eventsPerSecond = 20;
const minute = 60_000;
/** Every five minutes of an hour. */
const readings = 12;

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
      columns: ['page', 'minutes', 'events', 'heap, MB', 'heap of the worker, MB', 'DOM nodes', 'listeners'],
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
  const workerHeap = await heapOfWorker(session);
  const rows: Cell[][] = [];
  const began = performance.now();
  // Caches fill until the first; growth shows between the others.
  for (let index = 1; index <= readings; index += 1) {
    const passed = (index / readings) * minutes;
    await sleep(Math.max(began + passed * minute - performance.now(), 0));
    await session.send('HeapProfiler.collectGarbage');
    const { metrics } = await session.send('Performance.getMetrics');
    const value = (name: string) => metrics.find((each) => each.name === name)?.value ?? Number.NaN;
    rows.push([
      path,
      passed,
      server.events(),
      value('JSHeapUsedSize') / 2 ** 20,
      await workerHeap(),
      value('Nodes'),
      value('JSEventListeners'),
    ]);
  }
  return rows;
}

/** Returns what reads the heap of the page's worker after a garbage collection, in MB; null while there is none. */
async function heapOfWorker(session: CDPSession): Promise<() => Promise<number | null>> {
  let worker: string | null = null;
  let received = (_message: string) => {};
  session.on('Target.attachedToTarget', ({ sessionId, targetInfo }) => {
    if (targetInfo.type === 'worker') worker = sessionId;
  });
  session.on('Target.receivedMessageFromTarget', ({ message }) => received(message));
  await session.send('Target.setAutoAttach', {
    autoAttach: true,
    waitForDebuggerOnStart: false,
    flatten: false,
  });
  const ask = async (method: string): Promise<{ readonly usedSize?: number }> => {
    const answer = new Promise<string>((resolve) => {
      received = resolve;
    });
    const message = JSON.stringify({ id: 1, method });
    await session.send('Target.sendMessageToTarget', { sessionId: worker ?? '', message });
    return (JSON.parse(await answer) as { readonly result: { readonly usedSize?: number } }).result;
  };
  return async () => {
    if (worker === null) return null;
    await ask('HeapProfiler.collectGarbage');
    return ((await ask('Runtime.getHeapUsage')).usedSize ?? Number.NaN) / 2 ** 20;
  };
}
