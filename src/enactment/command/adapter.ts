/** Drives hosts with a site's own programs: one executable per operation (docs/adapters.md). */
import type { Logger } from 'pino';
import * as z from 'zod';
import type { ActionKind, Millis } from '../../core/index.ts';
import {
  type ActionCall,
  type ActionResult,
  type Adapter,
  type HostedMachine,
  type HostSite,
  HostUnreachable,
  type MachinePlace,
  type MachineStatus,
} from '../../engine/ports.ts';
import { Jobs } from '../jobs.ts';
import { outputOf, ProgramError, type ProgramResult, plainEnvironment, runProgram } from '../program.ts';
import { type Facts, factsOf } from './facts.ts';

export type Operation = Lowercase<ActionKind> | 'inspect' | 'list';

export interface CommandOptions {
  /** Absolute path of the executable per operation. `list` is optional. */
  readonly programs: Readonly<Partial<Record<Operation, string>>>;
  /** Maximum run time of a program, in milliseconds. */
  readonly timeLimit: Millis;
  readonly timeLimits?: Readonly<Partial<Record<Operation, Millis>>>;
  /** Added to the programs' environment. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** Exit statuses of sysexits.h with a meaning of their own. */
const unavailable = 69;
const tryAgain = 75;

const answerSchema = z.object({
  status: z.enum(['done', 'pending', 'failed']),
  reason: z.string().min(1).optional(),
});
const statusSchema = z.enum(['absent', 'prepared', 'running', 'suspended', 'stopped']);
const inspectSchema = z.object({ status: statusSchema });
const listSchema = z.object({
  machines: z.array(z.object({ lease: z.int(), machine: z.int(), status: statusSchema })),
});

export class CommandAdapter implements Adapter {
  readonly name = 'command';
  readonly remembers = true;
  readonly list: Adapter['list'];
  private readonly jobs = new Jobs();

  constructor(
    private readonly options: CommandOptions,
    private readonly site: HostSite,
    private readonly log: Logger,
  ) {
    this.list = options.programs.list === undefined ? undefined : (node, signal) => this.listOn(node, signal);
  }

  prepare(call: ActionCall): Promise<ActionResult> {
    return this.act('prepare', call);
  }

  start(call: ActionCall): Promise<ActionResult> {
    return this.act('start', call);
  }

  shutdown(call: ActionCall): Promise<ActionResult> {
    return this.act('shutdown', call);
  }

  suspend(call: ActionCall): Promise<ActionResult> {
    return this.act('suspend', call);
  }

  resume(call: ActionCall): Promise<ActionResult> {
    return this.act('resume', call);
  }

  migrate(call: ActionCall): Promise<ActionResult> {
    return this.act('migrate', call);
  }

  destroy(call: ActionCall): Promise<ActionResult> {
    return this.act('destroy', call);
  }

  async inspect(place: MachinePlace, signal: AbortSignal): Promise<MachineStatus> {
    const result = await this.execute('inspect', factsOf('inspect', this.site, place), signal);
    const { status } = this.answerOf(inspectSchema, 'inspect', result);
    return status;
  }

  forget(): void {
    this.jobs.forget();
  }

  close(): Promise<void> {
    return this.jobs.close();
  }

  private act(operation: Lowercase<ActionKind>, call: ActionCall): Promise<ActionResult> {
    return this.jobs.run(operation, call, async (signal) => {
      const facts = factsOf(operation, this.site, call.target, call);
      let result: ProgramResult;
      try {
        result = await this.execute(operation, facts, signal);
      } catch (error) {
        if (error instanceof ProgramError && error.kind === 'NOT_STARTED')
          return { status: 'failed', reason: error.message };
        throw error;
      }
      return this.resultOf(operation, result);
    });
  }

  private async listOn(node: number, signal: AbortSignal): Promise<readonly HostedMachine[]> {
    const result = await this.execute('list', factsOf('list', this.site, { node }), signal);
    const { machines } = this.answerOf(listSchema, 'list', result);
    return machines.map(({ lease, machine, status }) => ({ leaseId: lease, machine, node, status }));
  }

  private async execute(operation: Operation, facts: Facts, signal: AbortSignal): Promise<ProgramResult> {
    const file = this.options.programs[operation];
    if (file === undefined) throw new ProgramError('NOT_STARTED', `there is no program for ${operation}`);
    const result = await runProgram(file, [operation], {
      input: `${JSON.stringify(facts.document)}\n`,
      env: { ...plainEnvironment(), ...this.options.environment, ...facts.environment },
      timeLimit: this.options.timeLimits?.[operation] ?? this.options.timeLimit,
      signal,
    });
    const fields = {
      operation,
      status: result.status,
      lease: facts.document.lease,
      machine: facts.document.machine,
    };
    this.log.debug(fields, 'program ended');
    const output = outputOf(result);
    if (result.status === unavailable)
      throw Object.assign(new HostUnreachable(lastWords(operation, result)), { output });
    if (result.status === tryAgain) throw Object.assign(new Error(lastWords(operation, result)), { output });
    return result;
  }

  /** The JSON answer if there is one, otherwise the exit status. */
  private resultOf(operation: Operation, result: ProgramResult): ActionResult {
    const output = outputOf(result);
    const kept = output === '' ? {} : { output };
    const json = parsed(result.stdout);
    if (result.status !== 0) {
      const given = answerSchema.safeParse(json);
      return {
        status: 'failed',
        reason: (given.success && given.data.reason) || lastWords(operation, result),
        ...kept,
      };
    }
    if (json === undefined) return { status: 'done', ...kept };
    const answer = answerSchema.safeParse(json);
    if (!answer.success)
      return {
        status: 'failed',
        reason: `${operation} printed JSON that is no answer: ${short(result.stdout)}`,
        ...kept,
      };
    const { status, reason = `${operation} failed without a reason` } = answer.data;
    return status === 'failed' ? { status, reason, ...kept } : { status, ...kept };
  }

  private answerOf<T>(schema: z.ZodType<T>, operation: Operation, result: ProgramResult): T {
    if (result.status !== 0) throw new Error(lastWords(operation, result));
    const answer = schema.safeParse(parsed(result.stdout));
    if (answer.success) return answer.data;
    throw new Error(`${operation} printed no answer that can be read: ${short(result.stdout)}`);
  }
}

/** Undefined when it is not JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function lastWords(operation: Operation, { status, stderr }: ProgramResult): string {
  const line = stderr.trimEnd().split('\n').at(-1)?.trim();
  const how = status === null ? 'was ended by a signal' : `exited with ${status}`;
  return line ? `${operation}: ${line}` : `${operation} ${how}`;
}

const short = (text: string): string => JSON.stringify(text.length > 200 ? `${text.slice(0, 200)}…` : text);
