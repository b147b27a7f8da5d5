/** A real browser: Debian's Chromium, driven by playwright-core. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, chromium, type Page } from 'playwright-core';

const candidates = [
  process.env.CHROMIUM ?? '',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];
const executablePath = candidates.find((path) => path !== '' && existsSync(path));

/** Why there is no browser to test with; null when there is one. */
export const browserMissing =
  executablePath === undefined ? 'no Chromium on this machine: set CHROMIUM or install one' : null;

export interface BrowserOptions {
  readonly width?: number;
  readonly height?: number;
  readonly colorScheme?: 'light' | 'dark';
}

/** A browser of its own, without anything that earlier ones have stored. */
export async function openBrowser({
  width = 1280,
  height = 900,
  colorScheme = 'light',
}: BrowserOptions = {}): Promise<BrowserContext & AsyncDisposable> {
  const profile = mkdtempSync(join(tmpdir(), 'leasegraph-browser-'));
  const context = await chromium.launchPersistentContext(profile, {
    ...(executablePath === undefined ? {} : { executablePath }),
    headless: true,
    viewport: { width, height },
    colorScheme,
    timezoneId: 'Europe/Berlin',
    // Without these flags Chromium contacts other hosts.
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
  context.setDefaultTimeout(120_000);
  const dispose = async () => {
    await context.close();
    rmSync(profile, { recursive: true, force: true });
  };
  return Object.assign(context, { [Symbol.asyncDispose]: dispose });
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What axe-core finds wrong with the page, a line per rule. */
export async function accessibilityFaults(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  // Contrast is measured with final colors.
  await page.evaluate(() => Promise.allSettled(document.getAnimations().map(({ finished }) => finished)));
  return page.evaluate(async () => {
    const { violations } = await (globalThis as unknown as { axe: Axe }).axe.run({
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
    });
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`);

    interface Axe {
      run(options: object): Promise<{
        readonly violations: readonly {
          readonly id: string;
          readonly nodes: readonly { readonly html: string }[];
        }[];
      }>;
    }
  });
}
