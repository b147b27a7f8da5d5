/** The synchronous part of a turn, executed by the core alone. */

import type { Logger } from 'pino';
import { type Instant, type LeaseEventRecord, type RemainingMachine, SchedulerError } from '../core/index.ts';
import { type Answer, quarantined, type Refusal, refusalOf } from './commands/answer.ts';
import type { CommandTools } from './commands/command.ts';
import { RememberedAnswers } from './commands/idempotency.ts';
import { fieldsOf } from './commands/shape.ts';
import { kindOf } from './commands/table.ts';
import type { BatchContent } from './committer.ts';
import type { Core } from './core.ts';
import { applyReport, type ReportRules } from './hosts/apply-report.ts';

import type { Extension } from './hosts/hosts.ts';
import type { Starting } from './hosts/open-action.ts';
import type { ActionReport } from './hosts/report.ts';
import type { CommandItem, Item, RefusedItem } from './inbox.ts';
import type { IdempotencyRecord } from './ports.ts';

/** The core failed during a turn: its state is unreliable and must be reloaded. */
export class CoreFailure extends Error {
  override readonly name = 'CoreFailure';

  constructor(
    /** What the core was doing, for messages. */
    readonly during: string,
    /** The item it was processing; null for its own work. */
    readonly item: Item | null,
    override readonly cause: unknown,
  ) {
    super(`the core failed during ${during}: ${cause instanceof Error ? cause.message : String(cause)}`);
  }
}

export interface GivenAnswer {
  readonly item: CommandItem | RefusedItem;
  readonly answer: Answer;
}

export interface ItemContext {
  readonly tools: CommandTools;
  readonly reports: ReportRules;
}

/** The outcome of the items of a turn. */
export interface AppliedItems {
  readonly answers: readonly GivenAnswer[];
  readonly reports: readonly ActionReport[];
  /** To be written with the commit. */
  readonly idempotency: readonly IdempotencyRecord[];
}

/**
 * Executes the items in order. A command that the core refuses fails alone. `known` holds earlier answers by
 * idempotency key. Throws CoreFailure.
 */
export function applyItems(
  core: Core,
  now: Instant,
  items: readonly Item[],
  known: readonly IdempotencyRecord[],
  context: ItemContext,
): AppliedItems {
  const remembered = new RememberedAnswers(known);
  const answers: GivenAnswer[] = [];
  const reports: ActionReport[] = [];
  for (const item of items) {
    if (item.type === 'report') {
      guarded('a report of a host', () => applyReport(core, now, item.report, context.reports), item);
      reports.push(item.report);
    } else {
      const answer = item.type === 'refused' ? item.refusal : applyCommand(core, now, item, remembered, context);
      answers.push({ item, answer });
    }
  }
  return { answers, reports, idempotency: remembered.added };
}

function applyCommand(
  core: Core,
  now: Instant,
  item: CommandItem,
  remembered: RememberedAnswers,
  { tools }: ItemContext,
): Answer {
  const { command } = item;
  const earlier = remembered.answerTo(command);
  if (earlier) return earlier;
  let result: unknown;
  try {
    result = kindOf(command).apply(core, now, command.input, tools);
  } catch (error) {
    const refused = quarantineOf(command.input, error, tools) ?? refusalOf(error);
    if (!refused) throw new CoreFailure(`the command "${command.kind}"`, item, error);
    return refused;
  }
  remembered.remember(command, result);
  return { result };
}

const unknownToCore: ReadonlySet<unknown> = new Set(['LEASE_ENDED', 'LEASE_NOT_FOUND']);

/** The core does not know a quarantined lease and reports it as ended. */
function quarantineOf(input: unknown, error: unknown, { quarantine }: CommandTools): Refusal | null {
  const leaseNumber = fieldsOf(input)?.leaseNumber;
  if (!(error instanceof SchedulerError) || !unknownToCore.has(error.code)) return null;
  return typeof leaseNumber === 'number' && quarantine.has(leaseNumber) ? quarantined(leaseNumber) : null;
}

/** Computes the answers at the end of the turn. Throws CoreFailure. */
export function concludeAnswers(core: Core, answers: readonly GivenAnswer[]): readonly GivenAnswer[] {
  return answers.map(({ item, answer }) => {
    if (item.type !== 'command' || 'error' in answer) return { item, answer };
    const kind = kindOf(item.command);
    if (!kind.conclude) return { item, answer };
    const result = kind.conclude(core, item.command.input, answer.result);
    return { item, answer: { result } };
  });
}

export function guarded<T>(during: string, work: () => T, item: Item | null = null): T {
  try {
    return work();
  } catch (error) {
    throw new CoreFailure(during, item, error);
  }
}

/** Unfinished work of hosts. */
export interface LateHosts {
  readonly now: Instant;
  /** Operations that should have ended by an instant, with their extended ends. */
  extensions(at: Instant): readonly Extension[];
  /** Leases without a recorded start. */
  readonly starting: readonly Starting[];
  /** Machines that should be gone by an instant; null for one that is over by what is stored. */
  remaining(at: Instant): readonly RemainingMachine[] | null;
}

/** Executes everything due up to an instant, in time order. Throws CoreFailure. */
export function advance(core: Core, to: Instant, late: LateHosts): void {
  carryOutDue(core, to, Number.POSITIVE_INFINITY, late);
  advanceTo(core, to, late);
}

/**
 * Executes what is due before an instant, in time order, until `maxRows` rows are to be written: a lot may be due after
 * a long downtime or a clock change. Returns the instant at which it stopped; null when nothing is left before `now`.
 * Throws CoreFailure.
 */
export function carryOutDue(core: Core, now: Instant, maxRows: number, late: LateHosts): Instant | null {
  let reached = Number.NEGATIVE_INFINITY;
  for (let due = core.nextInstant(); due !== null && due < now; due = core.nextInstant()) {
    // Something stays due although it was executed: continuing would loop forever.
    if (due <= reached) return null;
    reached = due;
    advanceTo(core, reached, late);
    if (core.changedRows >= maxRows) return reached;
  }
  return null;
}

/**
 * Extends operations that hosts have not finished at an instant, then executes what is due at it. Nothing may be due
 * earlier, since replanning would ignore it.
 */
function advanceTo(core: Core, at: Instant, late: LateHosts): void {
  guarded('advance', () => {
    for (const { leaseId, reservationId, until } of late.extensions(at)) {
      const end = core.operationEnd(leaseId, reservationId);
      if (end !== null && end <= at) core.operationLate(at, leaseId, reservationId, until);
    }
    // The outcome of an earlier start may never be recorded.
    const isCurrent = ({ leaseId, reservationId }: Starting) => core.running(leaseId)?.id === reservationId;
    const starting = late.starting.filter(isCurrent);
    core.setNotStarted(starting.flatMap((each) => (each.hasStarted ? [] : each.leaseId)));
    for (const each of starting) {
      const running = core.running(each.leaseId);
      if (running !== null && running.end <= at) core.machinesStarted(at, each.leaseId, each.at ?? late.now);
    }
    const remaining = late.remaining(at);
    if (remaining && (remaining.length > 0 || core.hasRemaining)) core.holdRemaining(at, remaining);
    core.advance(at);
  });
}

/** The configuration requires the scheduler to stop when a lease fails. */
export function isFatal(error: unknown): error is CoreFailure {
  return error instanceof CoreFailure && error.cause instanceof SchedulerError && error.cause.code === 'LEASE_FAILURE';
}

export function isEmpty({ audit, changes, idempotency, notices, outcomes, answers }: BatchContent): boolean {
  return (
    changes.site === null &&
    changes.leases.length + changes.reservations.length + changes.withdrawn.length === 0 &&
    changes.events.length + changes.actions.length + changes.nodes.length + changes.maintenance.length === 0 &&
    changes.inventory === undefined &&
    changes.quotas === undefined &&
    changes.recurrences === undefined &&
    audit.length + idempotency.length + outcomes.length + answers.length + notices.length === 0
  );
}

export function logEvents(log: Logger, events: readonly LeaseEventRecord[]): void {
  for (const { leaseId, from, to, reason, sequence, at } of events) {
    const fields = { lease: leaseId, from, to, sequence, at, ...(reason ? { reason: reason.message } : {}) };
    if (to === 'FAILED') log.error(fields, 'lease failed');
    else log.debug(fields, 'lease changed');
  }
}
