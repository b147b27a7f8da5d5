/** What the web console costs the browser: frames of the chart, memory, and the first page. */
import { afterEach, describe, expect, it } from 'vitest';
import { browserMissing, openBrowser } from '../support/browser.ts';
import { type ConsoleServer, scheduled, serveConsole, signIn } from '../support/invented-site.ts';
import { panSchedule, showAllRows } from '../support/pan.ts';
import { build } from '../support/server-process.ts';

describe.skipIf(browserMissing !== null)('the speed of the console', () => {
  let server: ConsoleServer | null = null;
  afterEach(() => server?.[Symbol.dispose]());

  it('pans 1,000 nodes and 10,000 reservations with no frame over 33 ms', async () => {
    build();
    server = await serveConsole(() => ({ nodes: 1_000, reservations: scheduled(1_000, 10_000) }));
    await using browser = await openBrowser({ width: 1400, height: 1200 });
    const page = await browser.newPage();
    await signIn(page, server.url, '/schedule');
    await showAllRows(page);
    const frames = await panSchedule(browser, page, 120);
    expect(frames.length).toBeGreaterThan(100);
    // Processor time: what other processes take from the machine is not the page's.
    expect(Math.max(...frames.map(({ work }) => work))).toBeLessThan(33);
    const scripting = frames.map((frame) => frame.scripting).sort((a, b) => a - b);
    expect(scripting[Math.floor(scripting.length * 0.99)]).toBeLessThan(8);
    // A late frame is one that the page itself made late.
    const late = frames.filter(({ interval, work }) => interval > 33 && work > 16);
    expect(late).toEqual([]);
  });
});
