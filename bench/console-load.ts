/** How long the console takes from its address to a page that can be used, on a real server. */
import { join } from 'node:path';
import { browserMissing, openBrowser } from '../test/support/browser.ts';
import { scratchDirectory, startServer } from '../test/support/server-process.ts';
import { percentile } from './support/statistics.ts';
import type { Table } from './support/table.ts';

export async function consoleLoadBenchmark(quick: boolean): Promise<Table[]> {
  if (browserMissing !== null) {
    console.log(browserMissing);
    return [];
  }
  const scratch = scratchDirectory();
  const server = await startServer({ dataDir: join(scratch.path, 'data') });
  const times: number[] = [];
  let scripts = 0;
  try {
    for (let run = 0; run < (quick ? 1 : 7); run += 1) {
      // A new profile: nothing is cached.
      await using browser = await openBrowser();
      const page = await browser.newPage();
      await page.addInitScript(
        (held) => sessionStorage.setItem('leasegraph.credentials', held),
        JSON.stringify({ token: server.token, expiresAt: null, refreshToken: null }),
      );
      const session = await browser.newCDPSession(page);
      await session.send('Network.enable');
      const requests = new Set<string>();
      let bytes = 0;
      session.on('Network.responseReceived', ({ requestId, response }) => {
        if (response.url.endsWith('.js')) requests.add(requestId);
      });
      session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
        if (requests.has(requestId)) bytes += encodedDataLength;
      });
      await page.goto(new URL('/', server.url).href);
      await page.getByRole('heading', { name: 'Running now' }).waitFor();
      times.push(await page.evaluate(() => performance.now()));
      scripts = bytes;
    }
  } finally {
    await server.stop('SIGKILL');
    scratch.remove();
  }
  return [
    {
      title: 'First page of the console, nothing cached',
      columns: ['until it shows data: median, ms', 'worst, ms', 'target, ms', 'scripts, compressed kB', 'target, kB'],
      rows: [[percentile(times, 50), Math.max(...times), 2_000, scripts / 1_000, 250]],
    },
  ];
}
