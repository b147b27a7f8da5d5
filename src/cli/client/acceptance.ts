import { type OutputOptions, printOne } from '../output.ts';
import type { Terminal } from '../terminal.ts';

/** The help of `--dry-run` where nothing is planned: the command is only checked. */
export const checkHelp = 'print whether it would be accepted, and change nothing';

/** Prints the outcome of such a dry run, which was not refused. */
export function printAcceptance(options: OutputOptions, terminal: Terminal): void {
  printOne(terminal, options, { accepted: true }, () => 'would be accepted\n');
}
