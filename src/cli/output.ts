import type { Command } from 'commander';
import type { Terminal } from './terminal.ts';

/** What {@link addOutputOptions} parses. */
export interface OutputOptions {
  readonly json?: boolean;
  readonly jsonl?: boolean;
}

/** The options of commands that print a list. */
export function addOutputOptions(command: Command): Command {
  return command.option('--json', 'print JSON').option('--jsonl', 'print JSON Lines: one object per line');
}

/** Prints a list as JSON, as JSON Lines, or for people. */
export function printList(
  terminal: Terminal,
  { json, jsonl }: OutputOptions,
  items: readonly unknown[],
  forPeople: () => string,
): void {
  if (jsonl) for (const item of items) terminal.out(`${JSON.stringify(item)}\n`);
  else if (json) printJson(terminal, items);
  else terminal.out(forPeople());
}

export function printJson(terminal: Terminal, value: unknown): void {
  terminal.out(`${JSON.stringify(value, null, 2)}\n`);
}

/** Prints one object, or for people. */
export function printOne(
  terminal: Terminal,
  { json, jsonl }: OutputOptions,
  item: unknown,
  forPeople: () => string,
): void {
  if (jsonl) terminal.out(`${JSON.stringify(item)}\n`);
  else if (json) printJson(terminal, item);
  else terminal.out(forPeople());
}
