import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { loadPolicies } from '../../../src/config/index.ts';
import { type LeaseRequest, type Policies, Scheduler } from '../../../src/core/index.ts';
import { request } from '../../support/lease.ts';
import { configOf, FOUR_NODES, machines } from '../../support/story.ts';

const example = (name: string) => join(import.meta.dirname, '../../../docs/examples/policies', name);

const config = configOf({
  admission: example('at-most-a-day.mjs'),
  hostSelection: example('pack-nodes.mjs'),
  preemption: example('gold-first.mjs'),
});

const HALF = { CPU: 50, Memory: 256 };

describe('the worked examples of policies', () => {
  let policies: Partial<Policies>;

  beforeAll(async () => {
    policies = await loadPolicies(config);
  });

  /** Requests leases at 0, and plans them. */
  const planned = (...requests: readonly Partial<LeaseRequest>[]): Scheduler => {
    const scheduler = Scheduler.create(FOUR_NODES, config, { policies });
    for (const each of requests) {
      scheduler.request(0, request(each));
      scheduler.schedule(0);
      scheduler.advance(0);
    }
    return scheduler;
  };

  it('at-most-a-day refuses leases that are too long or too large, except those of operators', () => {
    const scheduler = Scheduler.create(FOUR_NODES, config, { policies });
    const verdict = (change: Partial<LeaseRequest>) => scheduler.request(0, request(change)).reason;
    const long = { duration: 25 * 3_600_000 };
    expect(verdict({})).toBeNull();
    expect(verdict(long)).toEqual({ code: 'TOO_LONG', message: 'it lasts 25 hours, and 24 are the most' });
    expect(verdict({ machines: machines(3) })).toEqual({
      code: 'TOO_LARGE',
      message: 'it asks for CPU 300, and 200 is the most for one lease',
    });
    expect(verdict({ ...long, name: 'operators/backup' })).toBeNull();
  });

  it('pack-nodes fills a node before it uses another', () => {
    const scheduler = planned(...new Array<Partial<LeaseRequest>>(3).fill({ machines: [HALF] }));
    expect([1, 2, 3].map((id) => scheduler.lease(id)?.mapping)).toEqual([{ 1: 1 }, { 1: 1 }, { 1: 2 }]);
  });

  it('gold-first lets only gold reservations preempt other leases', () => {
    const full: Partial<LeaseRequest> = { machines: machines(4), name: 'operators/all' };
    const ar = { type: 'ADVANCE_RESERVATION', start: 60_000 } as const;
    const plain = planned(full, { ...ar, name: 'silver/1' });
    expect([plain.lease(1)?.state, plain.lease(2)]).toEqual(['ACTIVE', null]);
    const gold = planned(full, { ...ar, name: 'gold/1' });
    expect([gold.lease(1)?.state, gold.lease(2)?.state]).toEqual(['READY', 'READY']);
    const both = planned({ ...full, name: 'gold/0', machines: machines(2) }, { ...ar, name: 'gold/1' });
    expect(both.lease(1)?.state).toBe('ACTIVE');
  });
});

describe('a module that is not a policy', () => {
  let folder: string;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'policies-'));
    return () => rmSync(folder, { recursive: true });
  });

  it.each([
    ['is not there', null, 'cannot be loaded as a policy: there is no such file'],
    ['does not compile', 'export default {', 'cannot be loaded as a policy: '],
    ['throws', "throw new Error('not in the mood')", 'cannot be loaded as a policy: not in the mood'],
    ['exports by name only', 'export const score = () => 1', 'has no default export, expected a policy'],
    ['exports nothing', 'export default null', 'has no default export, expected a policy'],
    [
      'lacks a method',
      'export default { preempts: () => true }',
      'has no default export with score(), expected a policy',
    ],
  ])('is refused: it %s', async (what, source, message) => {
    const path = join(folder, `${what.replaceAll(' ', '-')}.mjs`);
    if (source !== null) writeFileSync(path, source);
    await expect(loadPolicies(configOf({ preemption: path }))).rejects.toThrow(`${path}: ${message}`);
  });
});
