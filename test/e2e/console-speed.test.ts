/** What the web console costs the browser: frames of the chart, memory, and the first page. */
import { afterEach, describe, expect, it } from 'vitest';
import { browserMissing, openBrowser } from '../support/browser.ts';
import { type ConsoleServer, scheduled, serveConsole, signIn } from '../support/invented-site.ts';
import { panSchedule, readAgain, showAllRows } from '../support/pan.ts';
import { build } from '../support/server-process.ts';

describe.skipIf(browserMissing !== null)('the speed of the console', () => {
  let server: ConsoleServer | null = null;
  afterEach(() => server?.[Symbol.dispose]());
  const isSubscribed = () => {
    server?.send(1);
    return (server?.events() ?? 0) > 0;
  };

  it('pans 1,000 nodes and 10,000 reservations with no frame over 33 ms', async () => {
    await build();
    server = await serveConsole(() => ({ nodes: 1_000, reservations: scheduled(1_000, 10_000) }));
    await using browser = await openBrowser({ width: 1400, height: 1200 });
    const page = await browser.newPage();
    await signIn(page, server.url, '/schedule');
    await showAllRows(page);
    const frames = await panSchedule(browser, page, { frames: 120 });
    expect(frames.length).toBeGreaterThan(100);
    // Processor time: what other processes take from the machine is not the page's.
    expect(Math.max(...frames.map(({ work }) => work))).toBeLessThan(33);
    const scripting = frames.map((frame) => frame.scripting).sort((a, b) => a - b);
    expect(scripting[Math.floor(scripting.length * 0.99)]).toBeLessThan(8);
    const intervals = frames.map(({ interval }) => interval).sort((a, b) => a - b);
    expect(intervals[Math.floor(intervals.length / 2)]).toBeLessThan(33);
  });

  it('pans as well while all reservations are read again', async () => {
    await build();
    let shift = 0;
    server = await serveConsole(() => ({ nodes: 1_000, reservations: scheduled(1_000, 10_000, shift) }));
    await using browser = await openBrowser({ width: 1400, height: 1200 });
    const page = await browser.newPage();
    await signIn(page, server.url, '/schedule');
    await showAllRows(page);
    // Once the page has subscribed, an event has it read again.
    await expect.poll(isSubscribed).toBe(true);
    const change = () => {
      shift += 1;
      server?.send(20);
      return shift + 1;
    };
    const meanwhile = () => readAgain(page, 3, change);
    const frames = await panSchedule(browser, page, { frames: 60, meanwhile });
    expect(shift).toBe(3);
    expect(frames.length).toBeGreaterThan(60);
    expect(Math.max(...frames.map(({ work }) => work))).toBeLessThan(33);
  });

  it.each(['/schedule', '/leases'])('does not grow while events arrive (%s)', async (path) => {
    await build();
    // What the page shows differs at each reading.
    let readings = 0;
    server = await serveConsole(() => {
      readings += 1;
      return { nodes: 50, reservations: scheduled(50, 500, readings) };
    });
    await using browser = await openBrowser();
    const page = await browser.newPage();
    await signIn(page, server.url, path);
    await page.getByRole('heading', { level: 1 }).waitFor();
    const session = await browser.newCDPSession(page);
    await session.send('Performance.enable');
    const measure = async () => {
      // What the first collection lets go of may be all that holds something else.
      await session.send('HeapProfiler.collectGarbage');
      await session.send('HeapProfiler.collectGarbage');
      const { metrics } = await session.send('Performance.getMetrics');
      const value = (name: string) => metrics.find((each) => each.name === name)?.value ?? Number.NaN;
      return {
        heap: value('JSHeapUsedSize'),
        nodes: value('Nodes'),
        listeners: value('JSEventListeners'),
      };
    };
    const deliver = async (events: number) => {
      const before = readings;
      server?.send(events);
      await expect.poll(() => readings, { timeout: 20_000 }).toBeGreaterThan(before);
    };
    await expect.poll(isSubscribed).toBe(true);
    // Caches and compiled code fill first.
    for (let round = 0; round < 8; round += 1) await deliver(100);
    const before = await measure();
    for (let round = 0; round < 8; round += 1) await deliver(625);
    const after = await measure();
    // 5,000 events of which each left 100 bytes would be 500 kB.
    expect(after.heap - before.heap).toBeLessThan(500_000);
    expect(after.nodes - before.nodes).toBeLessThan(100);
    expect(after.listeners - before.listeners).toBeLessThan(20);
  });
});
