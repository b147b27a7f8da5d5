/**
 * Adapters are written by users: whatever one throws or answers, the engine goes on, and nothing is stored of any size.
 */
import type { Logger } from 'pino';
import {
  type ActionCall,
  type ActionResult,
  type Adapter,
  type HostedMachine,
  HostUnreachable,
  type MachinePlace,
  type MachineStatus,
  maxActionOutput,
} from '../ports.ts';

type Operation = 'prepare' | 'start' | 'shutdown' | 'suspend' | 'resume' | 'migrate' | 'destroy';

const statuses: readonly unknown[] = [
  'absent',
  'prepared',
  'running',
  'suspended',
  'stopped',
] satisfies MachineStatus[];

/**
 * The same adapter. What it throws at once rejects; an answer that is none is an error, so that the call is made again;
 * errors are Errors with a message of bounded length. One called `HostUnreachable` is taken for one, since a module
 * cannot import the class.
 */
export function guarded(adapter: Adapter, log: Logger): Adapter {
  const guard = async <T>(what: string, call: () => Promise<unknown>, read: (answer: unknown) => T | null) => {
    let answer: unknown;
    try {
      answer = await call();
    } catch (error) {
      throw plainError(error);
    }
    const result = read(answer);
    if (result !== null) return result;
    throw new Error(`the adapter ${adapter.name} answered ${what} with ${shown(answer)}`);
  };
  const operation = (name: Operation) => (call: ActionCall) => guard(name, async () => adapter[name](call), resultOf);
  return {
    prepare: operation('prepare'),
    start: operation('start'),
    shutdown: operation('shutdown'),
    suspend: operation('suspend'),
    resume: operation('resume'),
    migrate: operation('migrate'),
    destroy: operation('destroy'),
    inspect: (place, signal) => guard('inspect', async () => adapter.inspect(place, signal), statusOf),
    get name() {
      return adapter.name;
    },
    get remembers() {
      return adapter.remembers;
    },
    get list() {
      if (!adapter.list) return undefined;
      return (node: number, signal: AbortSignal) =>
        guard(
          'list',
          async () => adapter.list?.(node, signal),
          (answer) => machinesOf(answer, node),
        );
    },
    get admits() {
      if (!adapter.admits) return undefined;
      return async (node: number, signal: AbortSignal): Promise<string | null> =>
        (
          await guard(
            'admits',
            async () => adapter.admits?.(node, signal),
            (answer) => (answer === null || typeof answer === 'string' ? { answer } : null),
          )
        ).answer;
    },
    on: (node) => {
      try {
        return adapter.on?.(node) ?? adapter;
      } catch (error) {
        log.error({ node, err: plainError(error) }, 'the adapter cannot say what it does on a node');
        return { remembers: false };
      }
    },
    get watch() {
      if (!adapter.watch) return undefined;
      return (onChange: (place: MachinePlace) => void, signal: AbortSignal): void => {
        try {
          adapter.watch?.((place) => {
            if (isPlace(place) && !signal.aborted) onChange(place);
          }, signal);
        } catch (error) {
          log.error({ err: plainError(error) }, 'the adapter cannot watch its hosts');
        }
      };
    },
    forget: () => {
      try {
        adapter.forget();
      } catch (error) {
        log.error({ err: plainError(error) }, 'the adapter cannot forget its hosts');
      }
    },
    close: async () => adapter.close(),
  };
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

function resultOf(answer: unknown): ActionResult | null {
  if (!isObject(answer)) return null;
  const { output, reason, status } = answer;
  const kept = typeof output === 'string' ? { output: printable(output).slice(-maxActionOutput) } : {};
  if (status === 'done' || status === 'pending') return { status, ...kept };
  if (status !== 'failed') return null;
  const given = typeof reason === 'string' && reason !== '' ? cut(printable(reason)) : 'the adapter gives no reason';
  return { status, reason: given, ...kept };
}

const statusOf = (answer: unknown): MachineStatus | null =>
  statuses.includes(answer) ? (answer as MachineStatus) : null;

function machinesOf(answer: unknown, node: number): readonly HostedMachine[] | null {
  if (!Array.isArray(answer)) return null;
  const isMachine = (each: unknown): each is HostedMachine =>
    isPlace(each) && each.node === node && statusOf((each as Partial<HostedMachine>).status) !== null;
  return answer.every(isMachine) ? answer.filter(({ status }) => status !== 'absent') : null;
}

const isPlace = (place: unknown): place is MachinePlace =>
  isObject(place) && [place.leaseId, place.machine, place.node].every(Number.isSafeInteger);

/** An Error with a message, and output if there is any, that can be stored. */
function plainError(error: unknown): Error {
  const { message, name, output } = isObject(error) ? error : {};
  const given = typeof message === 'string' ? message : shown(error);
  const text = printable(given);
  const kept = typeof output === 'string' ? printable(output).slice(-maxActionOutput) : undefined;
  const isPlain = text === given && text.length <= maxActionOutput && output === kept;
  const isUnreachable = name === 'HostUnreachable';
  if (isPlain && error instanceof (isUnreachable ? HostUnreachable : Error)) return error;
  const plain = new (isUnreachable ? HostUnreachable : Error)(cut(text), { cause: error });
  return kept === undefined ? plain : Object.assign(plain, { output: kept });
}

/**
 * What a host printed, as text that is safe to show: lines end with a line feed, and other control characters, such as
 * those that command terminals, and characters that change the direction of text, are escaped.
 */
const printable = (text: string): string =>
  text.replace(/\r+\n/g, '\n').replace(/(?![\n\t])[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/gu, escaped);

const escaped = (character: string): string => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`;

const cut = (text: string): string => (text.length > maxActionOutput ? `${text.slice(0, maxActionOutput - 1)}…` : text);

/** Whatever it is, in short. */
function shown(value: unknown): string {
  if (value === undefined) return 'nothing';
  try {
    const text = JSON.stringify(value) ?? String(value);
    return text.length > 200 ? `${text.slice(0, 200)}…` : text;
  } catch {
    return `a value of type ${typeof value}`;
  }
}
