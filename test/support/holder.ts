import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { onTestFinished } from 'vitest';

/** The program open-store.ts in one file: to compile the sources in each process takes longer than what it does. */
export const holderProgram = bundle();

function bundle(): string {
  // Within the project, so that it finds the libraries and the migrations.
  const outfile = fileURLToPath(
    new URL(`../../node_modules/.cache/leasegraph/open-store-${process.pid}.mjs`, import.meta.url),
  );
  buildSync({
    ...{ entryPoints: [fileURLToPath(new URL('open-store.ts', import.meta.url))], outfile },
    ...{ bundle: true, packages: 'external', platform: 'node', format: 'esm', logLevel: 'warning' },
  });
  process.once('exit', () => rmSync(outfile, { force: true }));
  return outfile;
}

/** A process that holds a store (open-store.ts), and the lines that it has said. Killed when the test is over. */
export class Holder {
  readonly lines: string[] = [];
  readonly child: ChildProcess;
  readonly #closed: Promise<unknown>;
  #heard = () => {};

  constructor(databaseUrl: string | null, dataDir: string, mode: '' | 'writer' | 'close' = '') {
    this.child = spawn(process.execPath, [holderProgram, databaseUrl ?? '', dataDir, mode], {
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
