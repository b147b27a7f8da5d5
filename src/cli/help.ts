import { type Command, Help } from 'commander';
import type { Terminal } from './terminal.ts';
import { wrap } from './text.ts';

const defaultWidth = 80;
/** A description beside its option needs this many columns; otherwise it stands beneath. */
const minDescription = 40;

/** Lays help out for the terminal: lines break at blanks only. */
export function layOutHelp(command: Command, terminal: Terminal): void {
  command.configureHelp({
    // Defaults that are objects are described in words by the option itself.
    optionDescription: (option) =>
      typeof option.defaultValue === 'object' ? option.description : new Help().optionDescription(option),
    formatItem(term, termWidth, description, helper) {
      const indent = '  ';
      if (description === '') return indent + term;
      const width = this.helpWidth ?? defaultWidth;
      if (width - termWidth - 4 < minDescription) {
        return [indent + term, ...wrap(description, width, '      ')].join('\n');
      }
      const [first = '', ...others] = helper.boxWrap(description, width - termWidth - 4).split('\n');
      const margin = ' '.repeat(termWidth + 4);
      return [`${indent}${term.padEnd(termWidth)}  ${first}`, ...others.map((line) => margin + line)].join('\n');
    },
  });
  command.configureOutput({
    getOutHelpWidth: () => widthOf(terminal),
    getErrHelpWidth: () => widthOf(terminal),
  });
}

/** Adds paragraphs beneath the options. */
export function addNotes(command: Command, terminal: Terminal, ...notes: readonly string[]): Command {
  return command.addHelpText('after', () =>
    notes.map((note) => `\n${wrap(note, widthOf(terminal)).join('\n')}`).join('\n'),
  );
}

function widthOf({ tableWidth }: Terminal): number {
  return Number.isFinite(tableWidth) ? tableWidth : defaultWidth;
}
