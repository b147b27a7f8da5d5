import { type OutputOptions, printOne } from '../output.ts';
import { CliError, type Terminal } from '../terminal.ts';
import { plain } from '../text.ts';
import type { DisplacementFragment } from './generated/operations.ts';
import { showInstant } from './show.ts';

/** Prints what a change of nodes would do to leases. Throws CliError when it would be refused. */
export function printDisplacement(plan: DisplacementFragment | null, options: OutputOptions, terminal: Terminal): void {
  if (plan === null) throw new CliError('the server answered without a plan [UNEXPECTED_ANSWER]');
  const { accepted, displaces, firstPossibleStart, reason, withoutPlace } = plan;
  const why = reason ? `: ${plain(reason.message)} [${reason.code}]` : '';
  printOne(terminal, options, plan, () => {
    const facts: (readonly [name: string, value: string | null])[] = [
      ['displaces', numbersOf(displaces)],
      ['no place for', numbersOf(withoutPlace)],
      ['possible from', firstPossibleStart && showInstant(firstPossibleStart)],
    ];
    const lines = facts.map(([name, value]) => (value === null ? '' : `${name.padEnd(13)}  ${value}\n`));
    return `would be ${accepted ? 'accepted' : 'refused'}${why}\n${lines.join('')}`;
  });
  if (!accepted) throw new CliError(options.json || options.jsonl ? `would be refused${why}` : '');
}

function numbersOf(leases: readonly { readonly number: number }[]): string | null {
  return leases.length === 0 ? null : leases.map(({ number }) => number).join(', ');
}
