import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';

const script = new URL('open-store.ts', import.meta.url).pathname;

/** A process that holds a store (open-store.ts), and the lines that it has said. Killed when the test is over. */
export class Holder {
  readonly lines: string[] = [];
  readonly child: ChildProcess;
  readonly #closed: Promise<unknown>;
  #heard = () => {};

  constructor(databaseUrl: string | null, dataDir: string, mode: '' | 'writer' | 'close' = '') {
    this.child = spawn(process.execPath, ['--import', 'tsx', script, databaseUrl ?? '', dataDir, mode], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    this.#closed = once(this.child, 'close').then(() => this.#heard());
    onTestFinished(() => this.kill());
    if (this.child.stdout === null) throw new Error('no stdout');
    createInterface(this.child.stdout).on('line', (line) => {
      this.lines.push(line);
      this.#heard();
    });
  }

  /** The first line, said or yet to come, that begins like this. */
  async says(start: string): Promise<string> {
    for (;;) {
      const found = this.lines.find((line) => line.startsWith(start));
      if (found !== undefined) return found;
      if (this.child.exitCode !== null) throw new Error(`it only said: ${this.lines.join(' / ')}`);
      await new Promise<void>((resolve) => {
        this.#heard = resolve;
      });
    }
  }

  async exit(): Promise<number | null> {
    await this.#closed;
    return this.child.exitCode;
  }

  async kill(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.#closed;
  }
}
