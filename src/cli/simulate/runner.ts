import { parentPort, workerData } from 'node:worker_threads';
import type { RunReport, RunRequest } from './run.ts';

/** What a runner's thread sends back. */
export type RunnerMessage =
  | { readonly kind: 'progress'; readonly done: number; readonly total: number }
  | { readonly kind: 'report'; readonly report: RunReport }
  | { readonly kind: 'failure'; readonly message: string };

/** This file, to start a thread with. */
export const runnerUrl = import.meta.url;

const EVERY_MS = 200;

const port =
  (workerData as { leasegraphRunner?: boolean } | null)?.leasegraphRunner === true ? parentPort : null;
port?.on('message', async (request: RunRequest) => {
  const send = (message: RunnerMessage) => port.postMessage(message);
  try {
    const { run } = await import('./run.ts');
    let told = 0;
    const report = await run(request, (done, total) => {
      const now = performance.now();
      if (now - told < EVERY_MS) return;
      told = now;
      send({ kind: 'progress', done, total });
    });
    send({ kind: 'report', report });
  } catch (error) {
    send({ kind: 'failure', message: error instanceof Error ? error.message : String(error) });
  }
});
