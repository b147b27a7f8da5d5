import { ApiError } from '../api/client.ts';
import type { ScheduleColumns } from './schedule-columns.ts';
import type { FromWorker, ScheduleRequest, ToWorker } from './schedule-worker.ts';

interface Waiting {
  readonly resolve: (columns: ScheduleColumns) => void;
  readonly reject: (error: Error) => void;
}

let worker: Worker | null = null;
let lastId = 0;
const waiting = new Map<number, Waiting>();

/** Reads a part of the schedule in the worker of this tab. Throws ApiError. */
export async function readSchedule(request: ScheduleRequest, signal: AbortSignal): Promise<ScheduleColumns> {
  signal.throwIfAborted();
  worker ??= startWorker();
  const asked = worker;
  lastId += 1;
  const id = lastId;
  const send = (message: ToWorker) => asked.postMessage(message);
  let cancel = () => {};
  const answer = new Promise<ScheduleColumns>((resolve, reject) => {
    cancel = () => {
      waiting.delete(id);
      send({ id, request: null });
      reject(signal.reason as Error);
    };
    waiting.set(id, { resolve, reject });
  });
  signal.addEventListener('abort', cancel);
  send({ id, request });
  return answer.finally(() => signal.removeEventListener('abort', cancel));
}

function startWorker(): Worker {
  const started = new Worker(new URL('./schedule-worker.ts', import.meta.url), { type: 'module' });
  started.onmessage = ({ data: { id, result } }: MessageEvent<FromWorker>) => {
    const reader = waiting.get(id);
    waiting.delete(id);
    if ('columns' in result) reader?.resolve(result.columns);
    else reader?.reject(new ApiError(result.code, result.message));
  };
  started.onerror = () => {
    // Another version of the server may no longer have this file.
    started.terminate();
    worker = null;
    const error = new ApiError('INTERNAL', 'The schedule cannot be read in this tab. Reload the page.');
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
  };
  return started;
}
