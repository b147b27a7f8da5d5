/** Completion in the shells themselves, where they are installed. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cli } from './terminal.ts';

const folder = mkdtempSync(join(tmpdir(), 'leasegraph-completion-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** The script of a shell, in a file. */
async function scriptOf(shell: string): Promise<string> {
  const { status, out } = await cli('completion', shell);
  expect(status).toBe(0);
  const path = join(folder, shell);
  writeFileSync(path, out);
  return path;
}

/** Prints the line that an interactive zsh makes of $3 when it is completed. */
const inZsh = String.raw`
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "PROMPT= RPROMPT=; unsetopt zle_bracketed_paste prompt_cr prompt_sp
autoload -Uz compinit && compinit -D -u; source $1
finish() { zle complete-word; print -r -- \"\$BUFFER\" > $2; exit }
zle -N finish; bindkey '^T' finish; print -r ready-\$((6 * 7))"
zpty -r shell output '*ready-42*'
zpty -w -n shell "$3"$'\x14'
while zpty -t shell 2>/dev/null; do zpty -r shell output || break; done
cat $2`;

const inBash = `source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _leasegraph
printf "%s\\n" "\${COMPREPLY[@]}"`;

/** What each shell offers for the last word of a command line, sorted; zsh: what it makes of the word. */
const complete: Readonly<Record<string, (script: string, words: readonly string[]) => string[]>> = {
  bash: (script, words) => linesOf('bash', ['-c', inBash, 'bash', script, 'leasegraph', ...words]),
  zsh: (script, words) => {
    const line = `leasegraph ${words.join(' ')}`;
    const [completed = ''] = linesOf('zsh', ['-f', '-c', inZsh, 'zsh', script, join(folder, 'line'), line]);
    return [completed.trim().split(' ').at(-1) ?? ''];
  },
  fish: (script, words) =>
    linesOf('fish', ['--no-config', '-c', `source ${script}; complete -C "leasegraph ${words.join(' ')}"`]).map(
      (line) => line.split('\t')[0] ?? '',
    ),
};

function commonPrefix(words: readonly string[]): string {
  const [first = '', ...others] = words;
  let length = first.length;
  while (others.some((other) => !other.startsWith(first.slice(0, length)))) length -= 1;
  return first.slice(0, length);
}

function linesOf(program: string, parameters: readonly string[]): string[] {
  const out = execFileSync(program, parameters, { encoding: 'utf8', cwd: folder });
  return out
    .split('\n')
    .filter((line) => line !== '')
    .sort();
}

describe.each(Object.keys(complete))('in %s', (shell) => {
  const isInstalled = spawnSync(shell, ['--version']).status === 0;
  let script: string;
  beforeAll(async () => {
    script = await scriptOf(shell);
  });

  it.skipIf(!isInstalled).each([
    ['commands', ['sim'], ['simulate']],
    ['commands within commands', ['node', 'dr'], ['drain']],
    ['options', ['leases', '--st'], ['--state']],
    ['several options', ['simulate', '--output'], ['--output', '--output-dir']],
    ['options of commands within commands', ['node', 'drain', '--ref'], ['--refuse']],
    ['options after an argument', ['node', 'drain', 'node-1', '--ref'], ['--refuse']],
    [
      'values of options',
      ['leases', '--state', 'SUSPENDED_'],
      ['SUSPENDED_PENDING', 'SUSPENDED_QUEUED', 'SUSPENDED_SCHEDULED'],
    ],
    ['values of options of commands within commands', ['token', 'create', '--role', 'op'], ['operator']],
    ['arguments of which the values are known', ['completion', 'f'], ['fish']],
  ] as const)('%s: %j', (_what, words, expected) => {
    expect(complete[shell]?.(script, words)).toEqual(shell === 'zsh' ? [commonPrefix(expected)] : expected);
  });
});

describe('completion', () => {
  it('knows three shells', async () => {
    const { status, err } = await cli('completion', 'tcsh');
    expect(status).toBe(2);
    expect(err).toContain('Allowed choices are bash, zsh, fish.');
  });
});
