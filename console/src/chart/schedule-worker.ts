/** Reads and lays out schedules in a worker: thousands of reservations would delay the frames of the page. */
import { ApiError, execute, type Operation } from '../api/client.ts';
import type {
  ConsoleMaintenanceFragment,
  ConsoleMaintenanceListQuery,
  ConsoleMaintenanceListQueryVariables,
  ConsoleScheduleQuery,
  ConsoleScheduleQueryVariables,
} from '../api/generated/operations.ts';
import { buffersOf, columnsOf, type ScheduleColumns, type ScheduleFilter } from './schedule-columns.ts';

export interface ScheduleRequest {
  readonly token: string;
  /** ISO 8601. */
  readonly from: string;
  readonly to: string;
  readonly filter: ScheduleFilter;
  /** The texts of the operations. */
  readonly schedule: string;
  readonly maintenance: string;
}

/** A message to the worker. Without a request, it cancels the earlier one. */
export interface ToWorker {
  readonly id: number;
  readonly request: ScheduleRequest | null;
}

export interface FromWorker {
  readonly id: number;
  readonly result: { readonly columns: ScheduleColumns } | { readonly code: string; readonly message: string };
}

/** The global scope of a worker; the types of the project are those of pages. */
interface WorkerScope {
  onmessage: ((event: MessageEvent<ToWorker>) => void) | null;
  postMessage(message: FromWorker, transfer: Transferable[]): void;
}

const scope = self as unknown as WorkerScope;
const running = new Map<number, AbortController>();

scope.onmessage = ({ data: { id, request } }) => {
  if (request === null) {
    running.get(id)?.abort();
    return;
  }
  const controller = new AbortController();
  running.set(id, controller);
  const send = (result: FromWorker['result'], transfer: Transferable[]) => {
    running.delete(id);
    if (!controller.signal.aborted) scope.postMessage({ id, result }, transfer);
  };
  void read(request, controller.signal).then(
    (columns) => send({ columns }, buffersOf(columns)),
    (error: unknown) => {
      const code = error instanceof ApiError ? error.code : 'INTERNAL';
      send({ code, message: error instanceof Error ? error.message : String(error) }, []);
    },
  );
};

async function read(request: ScheduleRequest, signal: AbortSignal): Promise<ScheduleColumns> {
  const { token, from, to, filter } = request;
  const operation = operationOf<ConsoleScheduleQuery, ConsoleScheduleQueryVariables>(request.schedule);
  const [{ schedule }, maintenance] = await Promise.all([
    execute(token, operation, { from, to }, signal),
    readMaintenance(request, signal),
  ]);
  // The error that made it null is thrown before.
  return columnsOf(schedule ?? { reservations: [], isComplete: true }, maintenance, filter);
}

async function readMaintenance(
  { token, from, to, maintenance: text }: ScheduleRequest,
  signal: AbortSignal,
): Promise<ConsoleMaintenanceFragment[]> {
  const operation = operationOf<ConsoleMaintenanceListQuery, ConsoleMaintenanceListQueryVariables>(text);
  const all: ConsoleMaintenanceFragment[] = [];
  for (let after: string | null = null; ; ) {
    const { maintenance }: ConsoleMaintenanceListQuery = await execute(
      token,
      operation,
      { from, to, first: 100, after },
      signal,
    );
    all.push(...maintenance.nodes);
    after = maintenance.pageInfo.endCursor;
    if (!maintenance.pageInfo.hasNextPage) return all;
  }
}

function operationOf<Result, Variables>(text: string): Operation<Result, Variables> {
  return { toString: () => text };
}
