import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readLwf } from '../../src/simulation/formats/lwf.ts';
import { writeLwf } from '../../src/simulation/formats/lwf-writer.ts';
import { buildSite } from '../../src/simulation/formats/site.ts';
import { textSource } from '../../src/simulation/formats/source.ts';
import type { TraceLease, Workload } from '../../src/simulation/workload.ts';

// Everything that XML 1.0 can hold, characters with a meaning in XML first.
const text = fc.string({
  unit: fc.oneof(
    fc.constantFrom('<', '>', '&', '"', "'", ' ', '\n', '\t', 'é', '漢'),
    fc
      .integer({ min: 0x20, max: 0x10ffff })
      .filter((code) => code < 0xd800 || (code > 0xdfff && code % 0x10000 < 0xfffe))
      .map((code) => String.fromCodePoint(code)),
  ),
});
const word = text.filter((value) => value.trim() !== '');
const amount = fc.oneof(
  fc.integer({ min: 0, max: 100_000 }),
  fc.array(fc.integer({ min: 0, max: 400 }), { minLength: 2, maxLength: 4 }),
);
const amounts = fc.record({ CPU: amount, Memory: amount }, { requiredKeys: ['CPU'] });
const something = amounts.filter((each) =>
  Object.values(each)
    .flat()
    .some((amount) => amount > 0),
);
const machines = fc
  .array(fc.tuple(fc.integer({ min: 1, max: 5 }), something), { minLength: 1, maxLength: 3 })
  .map((sets) => sets.flatMap(([count, machine]) => Array(count).fill(machine)));
const millis = fc.integer({ min: 0, max: 10 ** 10 });

const lease = fc.record({
  type: fc.constantFrom('BEST_EFFORT', 'ADVANCE_RESERVATION', 'IMMEDIATE', 'DEADLINE'),
  gap: fc.integer({ min: 0, max: 100_000 }),
  machines,
  duration: millis.map((value) => value + 1),
  knownDuration: fc.option(millis),
  start: millis,
  deadline: millis,
  preemptible: fc.boolean(),
  image: fc.option(fc.record({ name: word, sizeMb: fc.integer({ min: 0, max: 10_000 }) })),
  user: fc.option(text),
});

const workload: fc.Arbitrary<Workload> = fc.record({
  name: text,
  description: fc.option(word),
  site: fc.option(
    fc
      .array(fc.record({ count: fc.integer({ min: 1, max: 4 }), capacity: amounts }), {
        minLength: 1,
        maxLength: 3,
      })
      .map((sets) => buildSite(['CPU', 'Memory'], sets)),
  ),
  attributes: fc.dictionary(
    word.filter((name) => name !== '__proto__'),
    text,
    { maxKeys: 3 },
  ),
  leases: fc.array(lease, { minLength: 1, maxLength: 8 }).map((drafts) => {
    let arrival = 0;
    return drafts.map(({ gap, start, deadline, ...draft }, index): TraceLease => {
      arrival += gap;
      return {
        ...draft,
        id: index + 1,
        arrival,
        type: draft.type as TraceLease['type'],
        start: draft.type === 'ADVANCE_RESERVATION' || (draft.type === 'DEADLINE' && start % 2 > 0) ? start : null,
        deadline: draft.type === 'DEADLINE' ? deadline : null,
      };
    });
  }),
});

describe('LWF', () => {
  it('reads back what it wrote', () => {
    fc.assert(
      fc.property(workload, (original) => {
        const written = [...writeLwf(original)].join('');
        const read = readLwf(textSource('t', written)).workload;
        expect(read).toEqual(original);
        expect([...writeLwf(read)].join('')).toBe(written);
      }),
      { numRuns: 200 },
    );
  });
});
