import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { OnProgress, RunReport, RunRequest } from './run.ts';
import { type RunnerMessage, runnerFlag, runnerUrl } from './runner.ts';

interface Job {
  readonly request: RunRequest;
  readonly onProgress: OnProgress;
  resolve(report: RunReport): void;
  reject(error: Error): void;
}

/** Processes that run simulations, each one at a time. */
export class RunnerPool {
  private readonly waiting: Job[] = [];
  private readonly idle: ChildProcess[] = [];
  private readonly runners = new Set<ChildProcess>();

  constructor(private readonly size: number) {}

  /** Rejects with what the run threw. */
  run(request: RunRequest, onProgress: OnProgress): Promise<RunReport> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ request, onProgress, resolve, reject });
      this.assign();
    });
  }

  close(): void {
    for (const runner of this.runners) {
      runner.removeAllListeners();
      runner.kill();
    }
  }

  private assign(): void {
    const runner = this.idle.pop() ?? (this.runners.size < this.size ? this.startRunner() : undefined);
    if (runner === undefined) return;
    const job = this.waiting.shift();
    if (job === undefined) {
      this.idle.push(runner);
      return;
    }
    const settle = (then: () => void) => {
      runner.removeAllListeners();
      then();
      this.assign();
    };
    runner.on('message', (message: RunnerMessage) => {
      if (message.kind === 'progress') job.onProgress(message.done, message.total);
      else {
        settle(() => {
          this.idle.push(runner);
          if (message.kind === 'report') job.resolve(message.report);
          else job.reject(new Error(message.message));
        });
      }
    });
    // It ran out of memory, say: the job is lost, and another process takes the place.
    const lost = (reason: string) => {
      settle(() => {
        this.runners.delete(runner);
        job.reject(new Error(reason));
      });
    };
    runner.on('error', (error) => lost(error.message));
    runner.on('exit', (code, signal) => lost(`its process ended (${signal ?? `status ${code}`})`));
    runner.send(job.request);
  }

  private startRunner(): ChildProcess {
    const runner = fork(fileURLToPath(runnerUrl), [runnerFlag]);
    this.runners.add(runner);
    return runner;
  }
}
