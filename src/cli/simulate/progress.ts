import type { Terminal } from '../terminal.ts';

const intervalMs = 100;
const barWidth = 30;

/** One line on standard error that shows progress; nothing unless standard error is a terminal. */
export class ProgressBar {
  private drawnAt = Number.NEGATIVE_INFINITY;
  private drawn = false;

  constructor(
    private readonly terminal: Terminal,
    private readonly unit: string,
  ) {}

  show(done: number, total: number): void {
    if (!this.terminal.interactive) return;
    const now = performance.now();
    if (now - this.drawnAt < intervalMs) return;
    this.drawnAt = now;
    this.drawn = true;
    const share = total === 0 ? 1 : done / total;
    const filled = Math.round(share * barWidth);
    const bar = `${'█'.repeat(filled)}${'░'.repeat(barWidth - filled)}`;
    const line = `${bar} ${Math.floor(share * 100)} % ${Math.floor(done)}/${total} ${this.unit}`;
    this.terminal.err(`\r${line.slice(0, this.terminal.columns - 1)}\u001B[K`);
  }

  clear(): void {
    if (this.drawn) this.terminal.err('\r\u001B[K');
    this.drawn = false;
  }
}
