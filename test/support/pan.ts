import type { BrowserContext, Page } from 'playwright-core';
import { type Frame, traceFrames } from './frames.ts';

export interface Panning {
  /** At least so many frames. */
  readonly frames: number;
  /** Something that happens meanwhile: the chart pans until it is over, and then for as many frames again. */
  readonly meanwhile?: () => Promise<void>;
}

/** Drags the schedule chart to and fro and returns its frames. Everything that it shows is drawn before. */
export async function panSchedule(
  context: BrowserContext,
  page: Page,
  { frames, meanwhile }: Panning,
): Promise<Frame[]> {
  const chart = page.getByRole('application', { name: 'Schedule chart' });
  const box = await chart.boundingBox();
  if (box === null) throw new Error('The chart is not visible.');
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.down();
  const found = await traceFrames(context, page, async () => {
    const panned = pan(page, frames, meanwhile !== undefined);
    await meanwhile?.();
    if (meanwhile) await page.evaluate(() => window.dispatchEvent(new Event('over')));
    await panned;
  });
  await page.mouse.up();
  return found;
}

/** Pans for so many frames. With `goesOn`, until the event "over", and then for so many. */
async function pan(page: Page, frames: number, goesOn: boolean): Promise<void> {
  await page.evaluate(
    async ([count, untilOver]) => {
      const element = document.querySelector('.schedule-chart') as HTMLElement;
      const bounds = element.getBoundingClientRect();
      let isOver = !untilOver;
      // Not a named function: tsx would add a helper that the page does not have.
      window.addEventListener(
        'over',
        () => {
          isOver = true;
        },
        { once: true },
      );
      for (let index = 0, left = count; left > 0; index += 1) {
        if (isOver) left -= 1;
        const clientX = bounds.left + bounds.width / 2 + 300 * Math.sin(index / 12);
        const clientY = bounds.top + bounds.height / 2;
        element.dispatchEvent(new PointerEvent('pointermove', { pointerId: 1, clientX, clientY, bubbles: true }));
        await new Promise<number>((resolve) => requestAnimationFrame(resolve));
      }
    },
    [frames, goesOn] as const,
  );
}

/** Shows all rows, and waits until the chart has drawn what it shows. */
export async function showAllRows(page: Page): Promise<void> {
  const chart = page.getByRole('application', { name: 'Schedule chart' });
  await chart.focus();
  await page.keyboard.press('f');
  await page.getByText('Point to a reservation').waitFor();
  await page.waitForURL(/span=/);
}

/**
 * Has all reservations change, and waits until the chart shows those that are read then; so many times. `change` returns
 * the number of the lease that is then the first of the first row.
 */
export async function readAgain(page: Page, times: number, change: () => number): Promise<void> {
  const chart = page.getByRole('application', { name: 'Schedule chart' });
  for (let round = 0; round < times; round += 1) {
    const wanted = `of lease ${change()} “`;
    // A window to which the chart returns may show for a moment what was read of it before.
    for (let shown = ''; !shown.includes(wanted); ) {
      await chart.press('Escape');
      await chart.press('n');
      shown = (await page.locator('.schedule-detail').textContent()) ?? '';
    }
  }
}
