import fc from 'fast-check';
import { expect, test } from 'vitest';
import { noNotice } from '../../src/engine/notices/notice.ts';
import { TimedNotices, type Upcoming } from '../../src/engine/notices/timed.ts';

const upcoming = (key: string, time: number, ahead: number): Upcoming => ({
  time,
  due: time - ahead,
  notice: { ...noNotice, kind: 'LEASE_ENDS_SOON', message: `${key} ${time}` },
});

/** One turn: time passes, some of what is upcoming changes, and the commit succeeds, or the server dies before it. */
interface Turn {
  readonly passes: number;
  readonly changes: readonly { readonly key: string; readonly end: number | null }[];
  readonly dies: boolean;
}

const keys = ['a', 'b', 'c'];

const turns = fc.array(
  fc.record({
    passes: fc.integer({ min: 0, max: 12 }),
    changes: fc.array(
      fc.record({
        key: fc.constantFrom(...keys),
        end: fc.option(fc.integer({ min: 1, max: 40 })),
      }),
      { maxLength: 2 },
    ),
    dies: fc.boolean(),
  }),
  { minLength: 1, maxLength: 30 },
);

test('each end is announced once: in the first commit in which it is due, whatever was not committed', () => {
  fc.assert(
    fc.property(turns, fc.integer({ min: 1, max: 15 }), (run: readonly Turn[], ahead) => {
      let now = 0;
      /** As committed. */
      let stored = { ends: new Map<string, number>(), given: Number.NEGATIVE_INFINITY };
      const restored = (): TimedNotices => {
        const timed = new TimedNotices(stored.given);
        for (const [key, time] of stored.ends) timed.set(key, upcoming(key, time, ahead), true);
        return timed;
      };
      let timed = restored();
      /** What is committed: each end of a key, since it was set. */
      const announced: string[] = [];
      const expected: string[] = [];
      const known = new Set<string>();
      for (const { passes, changes, dies } of run) {
        now += passes;
        const next = timed.next();
        const ends = new Map(stored.ends);
        // What has come to its end is over.
        for (const [key, time] of stored.ends) if (time <= now) ends.delete(key);
        for (const { key, end } of changes) {
          if (end === null) ends.delete(key);
          else ends.set(key, now + end);
        }
        // As of the end of the turn, once per key.
        for (const key of keys) {
          const time = ends.get(key);
          timed.set(key, time === undefined ? null : upcoming(key, time, ahead));
        }
        const given = timed.take(now).map(({ message }) => message);
        if (dies) {
          timed = restored();
          continue;
        }
        for (const [key, time] of stored.ends) if (ends.get(key) !== time) known.delete(`${key} ${time}`);
        for (const [key, time] of ends) {
          const name = `${key} ${time}`;
          if (time - ahead > now || known.has(name)) continue;
          known.add(name);
          expected.push(name);
          // It was announced in time, unless this very turn has brought it.
          if (stored.ends.get(key) === time) expect(next === null || next <= now).toBe(true);
        }
        announced.push(...given);
        stored = { ends, given: timed.given };
      }
      expect(announced.sort()).toEqual(expected.sort());
    }),
    { numRuns: 2_000 },
  );
});
