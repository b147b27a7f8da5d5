import type { BrowserContext, Page } from 'playwright-core';
import { type Frame, traceFrames } from './frames.ts';

/** Drags the schedule chart to and fro and returns its frames. Everything that it shows is drawn before. */
export async function panSchedule(context: BrowserContext, page: Page, frames: number): Promise<Frame[]> {
  const chart = page.getByRole('application', { name: 'Schedule chart' });
  const box = await chart.boundingBox();
  if (box === null) throw new Error('The chart is not visible.');
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.down();
  const found = await traceFrames(context, page, () =>
    page.evaluate(async (count) => {
      const element = document.querySelector('.schedule-chart') as HTMLElement;
      const bounds = element.getBoundingClientRect();
      for (let index = 0; index < count; index += 1) {
        const clientX = bounds.left + bounds.width / 2 + 300 * Math.sin(index / 12);
        const clientY = bounds.top + bounds.height / 2;
        element.dispatchEvent(
          new PointerEvent('pointermove', { pointerId: 1, clientX, clientY, bubbles: true }),
        );
        await new Promise<number>((resolve) => requestAnimationFrame(resolve));
      }
    }, frames),
  );
  await page.mouse.up();
  return found;
}

/** Shows all rows, and waits until the chart has drawn what it shows. */
export async function showAllRows(page: Page): Promise<void> {
  const chart = page.getByRole('application', { name: 'Schedule chart' });
  await chart.focus();
  await page.keyboard.press('f');
  await page.getByText('Point to a reservation').waitFor();
  await page.waitForURL(/span=/);
}
