/** Steers the clock of servers that were started with held-clock.mjs. */
import { renameSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Environment } from '../../support/server-process.ts';

const preload = fileURLToPath(new URL('held-clock.mjs', import.meta.url));

export class HeldClock {
  private until: number | null = null;

  constructor(private readonly file: string) {}

  /** For servers whose clock this is. */
  get environment(): Environment {
    return { HELD_CLOCK: this.file, NODE_OPTIONS: `--import=${preload}` };
  }

  /**
   * The clock goes on in real time until it reaches the instant, and stands still there. Returns how long that takes
   * (ms).
   */
  holdAt(wall: number): number {
    const now = Date.now();
    const from = this.until ?? now;
    this.until = Math.max(wall, from);
    writeFileSync(`${this.file}.new`, JSON.stringify({ from, since: now, until: this.until }));
    renameSync(`${this.file}.new`, this.file);
    return this.until - from;
  }
}
