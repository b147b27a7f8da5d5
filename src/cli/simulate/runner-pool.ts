import { Worker } from 'node:worker_threads';
import type { OnProgress, RunReport, RunRequest } from './run.ts';
import { type RunnerMessage, runnerUrl } from './runner.ts';

interface Job {
  readonly request: RunRequest;
  readonly onProgress: OnProgress;
  resolve(report: RunReport): void;
  reject(error: Error): void;
}

/** Threads that run simulations, each one at a time. */
export class RunnerPool {
  private readonly waiting: Job[] = [];
  private readonly idle: Worker[] = [];
  private readonly workers = new Set<Worker>();

  constructor(private readonly size: number) {}

  /** Rejects with what the run threw. */
  run(request: RunRequest, onProgress: OnProgress): Promise<RunReport> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ request, onProgress, resolve, reject });
      this.assign();
    });
  }

  async close(): Promise<void> {
    await Promise.all([...this.workers].map((worker) => worker.terminate()));
  }

  private assign(): void {
    const worker = this.idle.pop() ?? (this.workers.size < this.size ? this.startWorker() : undefined);
    if (worker === undefined) return;
    const job = this.waiting.shift();
    if (job === undefined) {
      this.idle.push(worker);
      return;
    }
    const settle = (then: () => void) => {
      worker.removeAllListeners();
      then();
      this.assign();
    };
    worker.on('message', (message: RunnerMessage) => {
      if (message.kind === 'progress') job.onProgress(message.done, message.total);
      else {
        settle(() => {
          this.idle.push(worker);
          if (message.kind === 'report') job.resolve(message.report);
          else job.reject(new Error(message.message));
        });
      }
    });
    // It ran out of memory, say: the job is lost, and another thread takes the place.
    const lost = (reason: string) => {
      settle(() => {
        this.workers.delete(worker);
        job.reject(new Error(reason));
      });
    };
    worker.on('error', (error) => lost(error.message));
    worker.on('exit', (code) => lost(`its thread ended with status ${code}`));
    worker.postMessage(job.request);
  }

  private startWorker(): Worker {
    const worker = new Worker(new URL(runnerUrl), { workerData: { leasegraphRunner: true } });
    this.workers.add(worker);
    return worker;
  }
}
