import type { RunReport, RunRequest } from './run.ts';

/** What a runner's process sends back. */
export type RunnerMessage =
  | { readonly kind: 'progress'; readonly done: number; readonly total: number }
  | { readonly kind: 'report'; readonly report: RunReport }
  | { readonly kind: 'failure'; readonly message: string };

/** This file, and what it is started with to become a runner. */
export const runnerUrl = import.meta.url;
export const runnerFlag = '--run-simulations';

const intervalMs = 200;

if (process.send !== undefined && process.argv[2] === runnerFlag) {
  process.on('message', (request: RunRequest) => void answer(request));
}

async function answer(request: RunRequest): Promise<void> {
  const send = (message: RunnerMessage) => process.send?.(message);
  try {
    const { run } = await import('./run.ts');
    let told = 0;
    const report = await run(request, (done, total) => {
      const now = performance.now();
      if (now - told < intervalMs) return;
      told = now;
      send({ kind: 'progress', done, total });
    });
    send({ kind: 'report', report });
  } catch (error) {
    send({ kind: 'failure', message: error instanceof Error ? error.message : String(error) });
  }
}
