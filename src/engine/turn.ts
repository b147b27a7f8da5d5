/** What a turn is, and the part of it that is the core's alone: synchronous, no waiting in between. */
import { type Instant, SchedulerError } from '../core/index.ts';
import { type Answer, type Command, idempotencyId, inputHash, refusal, refusalOf } from './commands.ts';
import type { BatchContent } from './committer.ts';
import type { Core } from './core.ts';
import type { ActionReport } from './dispatcher.ts';
import type { IdempotencyRecord } from './ports.ts';

/** The core broke down in the middle of a turn: what it holds cannot be trusted, it must be loaded anew. */
export class CoreFailure extends Error {
  override readonly name = 'CoreFailure';

  constructor(
    /** What the core was doing. */
    readonly during: string,
    /** The command that it was carrying out, if it was one. */
    readonly command: Command | null,
    override readonly cause: unknown,
  ) {
    super(`the core failed during ${during}: ${cause instanceof Error ? cause.message : String(cause)}`);
  }
}

export interface AppliedCommands {
  readonly answers: readonly (readonly [Command, Answer])[];
  /** To be kept with the commit. */
  readonly idempotency: readonly IdempotencyRecord[];
}

/**
 * Carries out the commands in order. One that the core refuses fails alone. `known` are the answers that were
 * given under the same idempotency keys before. Throws CoreFailure.
 */
export const applyCommands = (
  core: Core,
  now: Instant,
  commands: readonly Command[],
  known: readonly IdempotencyRecord[],
): AppliedCommands => {
  const remembered = new Map(known.map((record) => [idempotencyId(record.principal, record.key), record]));
  const idempotency: IdempotencyRecord[] = [];
  const answers = commands.map((command): readonly [Command, Answer] => {
    const { input } = command;
    if (input.kind === 'cancel') {
      const refused = attempt(command, () => core.cancel(now, input.leaseNumber));
      return [command, refused ?? { leaseNumber: input.leaseNumber }];
    }
    if (input.idempotencyKey === null) return [command, request(core, now, command, input)];

    const id = idempotencyId(input.principal, input.idempotencyKey);
    const hash = inputHash(input.request);
    const earlier = remembered.get(id);
    if (earlier) return [command, sameAgain(earlier, hash)];
    const answer = request(core, now, command, input);
    if ('leaseNumber' in answer) {
      const record: IdempotencyRecord = {
        principal: input.principal,
        key: input.idempotencyKey,
        inputHash: hash,
        leaseNumber: answer.leaseNumber,
      };
      remembered.set(id, record);
      idempotency.push(record);
    }
    return [command, answer];
  });
  return { answers, idempotency };
};

const request = (
  core: Core,
  now: Instant,
  command: Command,
  input: Extract<Command['input'], { kind: 'request' }>,
): Answer => {
  let leaseNumber = 0;
  const refused = attempt(command, () => {
    leaseNumber = core.request(now, input.request).id;
  });
  return refused ?? { leaseNumber };
};

const sameAgain = (earlier: IdempotencyRecord, hash: string): Answer =>
  earlier.inputHash === hash
    ? { leaseNumber: earlier.leaseNumber }
    : refusal(
        'IDEMPOTENCY_CONFLICT',
        `The idempotency key "${earlier.key}" was used before with another input (lease ${earlier.leaseNumber}). Use a new key for a new request.`,
        { path: ['idempotencyKey'] },
      );

const attempt = (command: Command, work: () => void): Answer | null => {
  try {
    work();
    return null;
  } catch (error) {
    const refused = refusalOf(error);
    if (!refused) throw new CoreFailure(`a ${command.input.kind}`, command, error);
    return refused;
  }
};

/** Fails the leases whose actions failed, and ends those whose machines have stopped. Throws CoreFailure. */
export const applyReports = (core: Core, now: Instant, reports: readonly ActionReport[]): void =>
  guarded('an action report', () => {
    for (const { leaseId, code, message } of reports.flatMap(({ failures }) => failures)) {
      // A machine that is missed may have been stopped meanwhile, as it should.
      if (code === 'MACHINE_LOST' && core.lease(leaseId)?.state !== 'ACTIVE') continue;
      core.actionFailed(now, leaseId, { code, message });
    }
    for (const leaseId of reports.flatMap(({ ended }) => ended)) {
      // Its time may have come meanwhile.
      if (core.lease(leaseId)?.state === 'ACTIVE') core.vmEnded(now, leaseId);
    }
  });

export const guarded = <T>(during: string, work: () => T): T => {
  try {
    return work();
  } catch (error) {
    throw new CoreFailure(during, null, error);
  }
};

/**
 * Carries out what is due, in order of time, until it takes `mostRows` to write: after a long time, or a clock that was set, that may be
 * very much. The instant at which it stopped before `now`; null when nothing is left before it. Throws CoreFailure.
 */
export const carryOutDue = (core: Core, now: Instant, mostRows: number): Instant | null => {
  let reached = Number.NEGATIVE_INFINITY;
  for (let due = core.nextInstant(); due !== null && due < now; due = core.nextInstant()) {
    // Something stays due although it was its time: asking again would not end.
    if (due <= reached) return null;
    reached = due;
    guarded('advance', () => core.advance(reached));
    if (core.changedRows >= mostRows) return reached;
  }
  return null;
};

/** How many commands of this process, commands of others, and reports. */
export interface Taking {
  readonly commands: number;
  readonly forwarded: number;
  readonly reports: number;
}

/** What a turn has taken. */
export interface Turn {
  /** `alone`: one thing at a time, and no pass; `behind`: a part of what came due, and nothing else. */
  readonly kind: 'whole' | 'alone' | 'behind';
  readonly most: Taking;
  readonly commands: Command[];
  reports: readonly ActionReport[];
  answers: readonly (readonly [Command, Answer])[];
}

export const nothing: Taking = { commands: 0, forwarded: 0, reports: 0 };
export const noTurn: Turn = { kind: 'whole', most: nothing, commands: [], reports: [], answers: [] };

/** A turn that was not written. */
export class TurnFailure extends Error {
  constructor(
    override readonly cause: unknown,
    readonly turn: Turn,
  ) {
    super('a turn failed');
  }
}

export const isFatal = (error: unknown): error is CoreFailure =>
  error instanceof CoreFailure &&
  error.cause instanceof SchedulerError &&
  error.cause.code === 'LEASE_FAILURE';

export const isEmpty = ({ changes, idempotency, outcomes, answers }: BatchContent): boolean =>
  changes.site === null &&
  changes.leases.length + changes.reservations.length + changes.withdrawn.length === 0 &&
  changes.events.length + changes.actions.length === 0 &&
  idempotency.length + outcomes.length + answers.length === 0;
