import type { ActionKind, ActionRecord, ActionTarget, Instant } from '../../core/index.ts';
import { sharedController } from '../async.ts';
import type { Clock } from '../clock.ts';
import type { EngineMetrics } from '../metrics.ts';
import { type ActionOutcome, maxActionOutput } from '../ports.ts';
import type { UnremovedMachine } from './host-facts.ts';
import type { HostLedger } from './ledger.ts';
import type { Recovery } from './recovery.ts';
import type { HostFailure } from './report.ts';

export const takingKinds: ReadonlySet<ActionKind> = new Set(['START', 'RESUME']);
/** Kinds of actions with a reservation of their own that ends with the action. */
export const operations: ReadonlySet<ActionKind> = new Set(['PREPARE', 'SHUTDOWN', 'SUSPEND', 'RESUME', 'MIGRATE']);
export const freeingKinds: ReadonlySet<ActionKind> = new Set(['SHUTDOWN', 'SUSPEND', 'DESTROY']);

/** An operation past its planned end. */
export interface LateOperation {
  readonly leaseId: number;
  readonly reservationId: number;
  readonly deadline: Instant;
}

/** A start of which one machine waits until its node has room. */
export interface WaitingStart {
  readonly actionId: number;
  readonly target: ActionTarget;
}

/** A lease whose start is not recorded yet. */
export interface Starting {
  readonly leaseId: number;
  /** The VM that is to start. */
  readonly reservationId: number | null;
  /** When the action ended; null while it has not. */
  readonly at: Instant | null;
  /** Whether all of its machines run. */
  readonly hasStarted: boolean;
}

/** Why an action has failed on one machine. */
export interface TargetFailure {
  readonly message: string;
  readonly node: number;
}

/** An action with unfinished parts. (One image preparation may serve several leases.) */
export interface OpenAction {
  readonly action: ActionRecord;
  parts: number;
  /** When it was added; monotonic clock. */
  readonly takenAt: number;
  attempts: number;
  /** When the first host was called. */
  startedAt: Instant | null;
  finishedAt: Instant | null;
  superseded: boolean;
  /** DESTROY: a machine could not be removed, in this term or an earlier one. */
  hasFailed: boolean;
  /** The last reported progress. */
  message: string | null;
  /** The error of the last call that will be retried. */
  lastFailure: string | null;
  assumed: Exclude<Recovery, 'RETRY'> | null;
  /**
   * For START: aborts when the machines are to be shut down, so that machines still waiting for their node do not
   * start.
   */
  readonly unwanted: AbortController;
  /** A removal that does not block later actions of its lease. */
  readonly detached: AbortController;
  readonly failures: HostFailure[];
  /** Output by machine. */
  readonly outputs: Map<string, string>;
  /** Aborts current calls and waits; new ones may begin. */
  interrupt(): void;
  readonly interrupted: AbortSignal;
}

export function openAction(action: ActionRecord, parts: number, takenAt: number): OpenAction {
  let interruption = sharedController();
  return {
    ...{
      action,
      parts,
      takenAt,
      attempts: 0,
      startedAt: null,
      finishedAt: null,
      superseded: false,
      hasFailed: false,
      message: null,
      lastFailure: null,
      assumed: null,
    },
    unwanted: sharedController(),
    detached: new AbortController(),
    failures: [],
    outputs: new Map(),
    interrupt: () => {
      const present = interruption;
      interruption = sharedController();
      present.abort();
    },
    get interrupted() {
      return interruption.signal;
    },
  };
}

/** Whether any part has not called a host yet. */
export function isUncalled({ parts, startedAt }: OpenAction): boolean {
  return parts > 0 && startedAt === null;
}

/** Records the first call to a host. */
export function beginCalls(
  open: OpenAction,
  { clock, metrics }: { readonly clock: Clock; readonly metrics: EngineMetrics },
): void {
  if (open.startedAt !== null) return;
  open.startedAt = clock.now();
  metrics.dispatched((clock.monotonic() - open.takenAt) / 1_000);
}

/** The outcome of a finished action, with the reason of a failure. */
export function endOf({ failures, lastFailure, superseded }: OpenAction): {
  readonly result: 'failed' | 'superseded' | 'succeeded';
  readonly error: string | null;
} {
  if (failures.length > 0) return { result: 'failed', error: failures.map(({ message }) => message).join('; ') };
  if (!superseded) return { result: 'succeeded', error: null };
  const cause = lastFailure === null ? '' : `; the last call failed: ${lastFailure}`;
  return { result: 'superseded', error: `given up: the machines are no longer wanted${cause}` };
}

/** The progress of an action, without its end. */
export function outcomeOf({
  action,
  attempts,
  outputs,
  startedAt,
}: OpenAction): Pick<ActionOutcome, 'actionId' | 'attempts' | 'output' | 'startedAt'> {
  const printed = [...outputs].filter(([, output]) => output !== '');
  const output =
    printed.length === 0
      ? null
      : printed.length === 1
        ? (printed[0]?.[1] ?? null)
        : printed.map(([machine, text]) => `${machine}: ${text}`).join('\n');
  return { actionId: action.id, attempts, startedAt, output: output?.slice(-maxActionOutput) ?? null };
}

/** Operations that should be over at an instant and are not. */
export function lateOperations(open: Iterable<OpenAction>, at: Instant): LateOperation[] {
  return [...open].flatMap(({ action, parts }) => {
    const { deadline, kind, leaseId, reservationId } = action;
    const isLate = parts > 0 && deadline !== null && deadline <= at;
    return isLate && reservationId !== null && operations.has(kind) ? [{ leaseId, reservationId, deadline }] : [];
  });
}

/** Machines whose removal has failed, and is tried again, by node. */
export function unremovedMachines(
  open: Iterable<OpenAction>,
  ledger: Pick<HostLedger, 'remainder'>,
): ReadonlyMap<number, readonly UnremovedMachine[]> {
  const byNode = new Map<number, UnremovedMachine[]>();
  for (const { action, hasFailed, parts } of open) {
    const { id, kind, targets } = action;
    if (kind !== 'DESTROY' || parts === 0 || !hasFailed) continue;
    for (const target of targets) {
      const capacity = ledger.remainder(target, id);
      if (capacity === null) continue;
      const { leaseId, machine, node } = target;
      const known = byNode.get(node) ?? [];
      known.push({ leaseId, machine, capacity, actionId: id });
      byNode.set(node, known);
    }
  }
  return byNode;
}

/** Leases whose start is not recorded yet. */
export function startsOf(open: Iterable<OpenAction>): Starting[] {
  return [...open].flatMap(({ action: { kind, leaseId, reservationId }, failures, finishedAt, superseded }) => {
    const hasStarted = finishedAt !== null && !superseded && failures.length === 0;
    return kind === 'START' ? [{ leaseId, reservationId, at: finishedAt, hasStarted }] : [];
  });
}
