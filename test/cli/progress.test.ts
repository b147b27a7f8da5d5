import { describe, expect, it } from 'vitest';
import { beginning } from '../../src/cli/commands/replay.ts';
import { ProgressBar } from '../../src/cli/simulate/progress.ts';

const terminal = (interactive: boolean) => {
  const written: string[] = [];
  return {
    written,
    out: () => {},
    err: (text: string) => void written.push(text),
    interactive,
    columns: 60,
    tableWidth: 60,
  };
};

describe('a progress bar', () => {
  it('is drawn on a terminal and wiped out at the end', () => {
    const screen = terminal(true);
    const bar = new ProgressBar(screen, 'leases');
    bar.show(1, 4);
    bar.clear();
    expect(screen.written).toEqual([`\r${'█'.repeat(8)}${'░'.repeat(22)} 25 % 1/4 leases\u001B[K`, '\r\u001B[K']);
  });

  it('is drawn only now and then', () => {
    const screen = terminal(true);
    const bar = new ProgressBar(screen, 'leases');
    for (let done = 0; done < 1000; done += 1) bar.show(done, 1000);
    expect(screen.written.length).toBeLessThan(10);
  });

  it('is nothing where nobody watches', () => {
    const screen = terminal(false);
    const bar = new ProgressBar(screen, 'leases');
    bar.show(1, 4);
    bar.clear();
    expect(screen.written).toEqual([]);
  });
});

describe('the first line of a replay', () => {
  it('says how much is replayed, and how long it takes', () => {
    const leases = [{ arrival: 7_200_000 }, { arrival: 3_600_000 }];
    expect(beginning('t.lwf', leases, 1)).toBe('Replaying 2 leases of t.lwf: the last is requested after 02:00:00.');
    expect(beginning('t.lwf', leases, 60)).toBe(
      'Replaying 2 leases of t.lwf: the last is requested after 02:00:00 (00:02:00 of real time).',
    );
  });
});
