import type { Millis } from '../../core/index.ts';
import type { Command, CommandKind } from '../commands.ts';
import { TraceError, type TraceErrorCode } from '../errors.ts';
import { type TextSource, textLines } from './source.ts';
import { maxMillis } from './values.ts';
import { shorten } from './xml.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The keys of each kind of command besides `at`; the first names the kind. */
const keysOf: Readonly<Record<CommandKind, readonly string[]>> = {
  cancel: ['cancel'],
  update: ['update', 'start', 'duration', 'deadline', 'asFarAsPossible'],
  node: ['node', 'set', 'collisions'],
  maintenance: ['maintenance', 'nodes', 'start', 'end', 'collisions'],
  endMaintenance: ['endMaintenance'],
};
const kinds = Object.keys(keysOf) as CommandKind[];

/** Reads commands: JSON Lines, one command per line, in order of time. Throws TraceError. */
export function readCommands(source: TextSource): Command[] {
  const commands: Command[] = [];
  for (const { number, text } of textLines(source)) {
    if (text.trim() === '') continue;
    const command = new CommandReader(source.name, number, text).command();
    const last = commands.at(-1);
    if (last && command.at < last.at) {
      throw new TraceError(
        'OUT_OF_ORDER',
        source.name,
        number,
        `the command is for ${command.at / 1000} s, the one before it for ${last.at / 1000} s, expected them in order of time`,
      );
    }
    commands.push(command);
  }
  return commands;
}

class CommandReader {
  private readonly fields: Fields;
  private readonly kind: CommandKind;

  constructor(
    private readonly file: string,
    private readonly line: number,
    text: string,
  ) {
    this.fields = this.parse(text);
    this.kind = this.kindOf();
    for (const key of Object.keys(this.fields)) {
      if (key !== 'at' && !keysOf[this.kind].includes(key))
        this.fail(
          'UNEXPECTED_CONTENT',
          `unknown key "${shorten(key)}" was found, expected only at, ${keysOf[this.kind].join(', ')}`,
        );
    }
  }

  command(): Command {
    const { line, kind } = this;
    const at = this.seconds('at');
    switch (kind) {
      case 'cancel':
        return { kind, at, line, lease: this.number('cancel') };
      case 'update':
        return this.update(at);
      case 'node': {
        const set = this.oneOf('set', 'UP', 'DRAINING', 'DOWN');
        const collisions = this.collisions('DISPLACE');
        if (set === 'DOWN' && collisions === 'REFUSE')
          this.fail('INVALID_VALUE', 'set DOWN does not go with collisions REFUSE: a node that fails does not ask');
        return { kind, at, line, node: this.number('node'), set, collisions };
      }
      case 'maintenance':
        return {
          kind,
          at,
          line,
          name: this.text('maintenance'),
          nodes: this.numbers('nodes'),
          start: this.seconds('start'),
          end: this.seconds('end'),
          collisions: this.collisions('REFUSE'),
        };
      case 'endMaintenance':
        return { kind, at, line, name: this.text('endMaintenance') };
    }
  }

  private update(at: Millis): Command {
    const terms = {
      ...(this.has('start') ? { start: this.seconds('start') } : {}),
      ...(this.has('duration') ? { duration: this.seconds('duration') } : {}),
      ...(this.has('deadline') ? { deadline: this.seconds('deadline') } : {}),
    };
    if (Object.keys(terms).length === 0)
      this.fail('MISSING_CONTENT', 'the update changes nothing, expected start, duration or deadline');
    if (terms.duration === 0) this.wrong('duration', 'whole seconds greater than 0');
    const asFarAsPossible = this.has('asFarAsPossible') ? this.boolean('asFarAsPossible') : false;
    const { line } = this;
    return { kind: 'update', at, line, lease: this.number('update'), terms, asFarAsPossible };
  }

  private parse(text: string): Fields {
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      return this.fail('NOT_WELL_FORMED', `"${shorten(text)}" was found, expected a JSON object`);
    }
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields;
    return this.fail('UNEXPECTED_CONTENT', `${shorten(text)} was found, expected a JSON object`);
  }

  private kindOf(): CommandKind {
    const [kind, other] = kinds.filter((each) => this.has(each));
    if (kind === undefined) this.fail('MISSING_CONTENT', `there is no command, expected one of ${kinds.join(', ')}`);
    if (other !== undefined)
      this.fail('UNEXPECTED_CONTENT', `${kind} and ${other} were found, expected one of them per line`);
    return kind;
  }

  private has(key: string): boolean {
    return Object.hasOwn(this.fields, key);
  }

  private seconds(key: string): Millis {
    const value = this.fields[key];
    if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value * 1000 <= maxMillis)
      return value * 1000;
    return this.wrong(key, 'whole seconds from the start of the run (at most 366,000 days)');
  }

  private number(key: string): number {
    const value = this.fields[key];
    return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : this.wrong(key, 'a number');
  }

  private numbers(key: string): number[] {
    const value = this.fields[key];
    const isList =
      Array.isArray(value) && value.length > 0 && value.every((each) => Number.isSafeInteger(each) && each >= 0);
    return isList ? (value as number[]) : this.wrong(key, 'a list of node numbers');
  }

  private text(key: string): string {
    const value = this.fields[key];
    return typeof value === 'string' && value !== '' ? value : this.wrong(key, 'a name');
  }

  private boolean(key: string): boolean {
    const value = this.fields[key];
    return typeof value === 'boolean' ? value : this.wrong(key, 'true or false');
  }

  private oneOf<const T extends string>(key: string, ...values: readonly T[]): T {
    return values.find((value) => value === this.fields[key]) ?? this.wrong(key, values.join(', '));
  }

  private collisions(byDefault: 'REFUSE' | 'DISPLACE'): 'REFUSE' | 'DISPLACE' {
    return this.has('collisions') ? this.oneOf('collisions', 'REFUSE', 'DISPLACE') : byDefault;
  }

  private wrong(key: string, expected: string): never {
    const found = this.has(key) ? `${key} is ${shorten(JSON.stringify(this.fields[key]))}` : `${key} is missing`;
    return this.fail(this.has(key) ? 'INVALID_VALUE' : 'MISSING_CONTENT', `${found}, expected ${expected}`);
  }

  private fail(code: TraceErrorCode, detail: string): never {
    throw new TraceError(code, this.file, this.line, detail);
  }
}
