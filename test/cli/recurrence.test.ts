import { expect, it, onTestFinished } from 'vitest';
import { listen } from '../../src/server/http/listen.ts';
import { apiOnEngine } from '../api/engine-api.ts';
import { token } from '../api/fixture.ts';
import { describeEachDatabase } from '../support/databases.ts';
import { cli } from './terminal.ts';

const machines = ['--machines', '1 CPU:100'];
const terms = [...machines, '--duration', '1h', '--time-zone', 'Europe/Berlin'];

const now = Date.now();

/** 09:00 on the wall clock, so many days from now. */
function morning(days: number): string {
  return `${new Date(now + days * 86_400_000).toISOString().slice(0, 10)}T09:00`;
}

describeEachDatabase('leasegraph recurrence', (databases) => {
  async function serve() {
    const { app } = await apiOnEngine(databases);
    const listening = await listen('127.0.0.1', 0);
    listening.serve(app);
    onTestFinished(() => listening.close(1_000));
    const server = ['--server', listening.url, '--token', token];
    return {
      server,
      recurrence: (...words: readonly string[]) => cli('recurrence', ...words, ...server),
    };
  }

  it('creates, shows, changes and cancels a recurrence', async () => {
    const { recurrence, server } = await serve();
    expect((await recurrence('list')).out).toBe('No recurrences.\n');
    const rule = ['--rule', 'FREQ=DAILY;COUNT=40', '--first-start', morning(2)];
    const planned = await recurrence('create', ...terms, ...rule, '--dry-run');
    expect([planned.status, planned.err]).toEqual([0, '']);
    expect(planned.out).toMatch(/^would be accepted\n\nOCCURRENCE +START \(UTC\) +FITS/);
    expect((await recurrence('list')).out).toBe('No recurrences.\n');

    const created = await recurrence('create', ...terms, ...rule, '--name', 'course');
    expect([created.status, created.err]).toEqual([0, '']);
    expect(created.out).toMatch(/^ +1 +course +ACTIVE +\d{4}-\d\d-\d\d 0[78]:00:00 +01:00:00 +1 CPU:100$/m);
    expect(created.out).toContain(`FREQ=DAILY;COUNT=40, from ${morning(2)} in Europe/Berlin`);

    const shown = await recurrence('show', '1', '--occurrences', '40');
    expect(shown.out).toMatch(/^state +ACTIVE$/m);
    expect(shown.out.match(/ READY$/gm)?.length).toBeGreaterThanOrEqual(28);
    expect(shown.out).toMatch(/^ +40 +\d{4}-\d\d-\d\d 0[78]:00:00 /m);
    const lease = await cli('lease', '2', '--json', ...server);
    expect(JSON.parse(lease.out)).toMatchObject({ number: 2, name: 'course' });

    const rehearsed = await recurrence('update', '1', '--from', '2', '--duration', '30m', '--dry-run');
    expect([rehearsed.status, rehearsed.err]).toEqual([0, '']);
    expect(rehearsed.out).toMatch(/^would be accepted\n\nOCCURRENCE +START \(UTC\) +FITS.*\n +2 /);
    const updated = await recurrence('update', '1', '--from', '2', '--start', `${morning(3).slice(0, 10)}T11:30`);
    expect([updated.status, updated.err]).toEqual([0, '']);
    const starts = JSON.parse((await recurrence('show', '1', '--json')).out) as {
      planned: { occurrence: number; start: string }[];
    };
    const minutes = starts.planned.map(({ start }) => start.slice(13, 16));
    expect(minutes.slice(0, 3)).toEqual([':00', ':30', ':30']);

    const ending = await recurrence('cancel', '1', '--from', '29', '--dry-run');
    expect([ending.status, ending.err]).toEqual([0, '']);
    expect(ending.out).toMatch(/^would be accepted\n(ends {2}\d+(, \d+)*\n)?No other lease would start earlier\.\n$/);
    const cancelled = await recurrence('cancel', '1', '--from', '2');
    expect([cancelled.status, cancelled.err]).toEqual([0, '']);
    expect((await recurrence('show', '1')).out.match(/ READY$/gm)).toHaveLength(1);
    expect((await recurrence('cancel', '1')).out).toMatch(/ CANCELLED /);
    expect((await recurrence('cancel', '1')).err).toContain('[RECURRENCE_ENDED]');
    expect((await recurrence('list')).out).toBe('No recurrences.\n');
    expect((await recurrence('list', '--all', '--jsonl')).out).toContain('"state":"CANCELLED"');
  });

  it('skips occurrences that are not available, and says which', async () => {
    const { recurrence, server } = await serve();
    const start = `${morning(5)}:00Z`;
    const held = ['--type', 'advance-reservation', '--start', start.replace('09', '00'), '--duration', '1d'];
    await cli('request', '--machines', '2 CPU:100', ...held, ...server);
    const rule = ['--rule', 'FREQ=DAILY;COUNT=3', '--first-start', morning(4)];
    const refused = await recurrence('create', ...terms, ...rule);
    expect(refused.status).toBe(1);
    expect(refused.err).toMatch(/^leasegraph: .*Occurrence 2, at .*T09:00:00 in Europe\/Berlin, is not available: /);
    const planned = await recurrence('create', ...terms, ...rule, '--dry-run');
    expect(planned.status).toBe(1);
    expect(planned.out).toMatch(/^ +2 +\S+ 0[78]:00:00 +no +\S+ 00:00:00$/m);
    const created = await recurrence('create', ...terms, ...rule, '--skip');
    expect([created.status, created.err]).toEqual([0, '']);
    expect(created.out).toMatch(/^Skipped:\nOCCURRENCE +START \(UTC\)\n +2 /m);
  });

  it('says what is wrong', async () => {
    const { recurrence } = await serve();
    const hourly = ['create', ...terms, '--rule', 'FREQ=HOURLY', '--first-start', morning(1)];
    for (const [words, message] of [
      [['update', '1'], 'expected --start, --duration or --name'],
      [['show', '99'], 'there is no recurrence 99 [RECURRENCE_NOT_FOUND]'],
      [hourly, 'FREQ is HOURLY; it must be one of DAILY, WEEKLY, MONTHLY, YEARLY.'],
    ] as const) {
      expect((await recurrence(...words)).err).toContain(message);
    }
  });
});
