import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { cli } from './terminal.ts';

describe('completion', () => {
  it('completes commands and their options in bash', async () => {
    const { status, out } = await cli('completion', 'bash');
    expect(status).toBe(0);
    const complete = (...words: string[]) =>
      execFileSync(
        'bash',
        [
          '-c',
          `${out}\nCOMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _leasegraph; echo "\${COMPREPLY[@]}"`,
          'bash',
          'leasegraph',
          ...words,
        ],
        { encoding: 'utf8' },
      ).trim();
    expect(complete('sim')).toBe('simulate');
    expect(complete('leases', '--st')).toBe('--state');
    expect(complete('simulate', '--output')).toBe('--output --output-dir');
  });

  it.each(['zsh', 'fish'])('has every command and option in %s', async (shell) => {
    const { status, out } = await cli('completion', shell);
    expect(status).toBe(0);
    for (const word of ['simulate', 'utilization', 'idempotency key', 'lease']) {
      expect(out).toContain(word);
    }
    expect(out).toContain(shell === 'fish' ? '-l backfilling ' : '--backfilling[');
  });

  it('knows three shells', async () => {
    const { status, err } = await cli('completion', 'tcsh');
    expect(status).toBe(2);
    expect(err).toContain('Allowed choices are bash, zsh, fish.');
  });
});
