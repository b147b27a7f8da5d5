/** Limits that are not configured. */
import { readFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import {
  defaultPageSize,
  expectedEntries,
  maxEntries,
  maxListed,
  maxMachines,
  maxPageSize,
  maxSamples,
  maxScheduled,
  maxTextLength,
  maxUrlLength,
  maxWindows,
} from '../../src/api/limits.ts';
import { maxAccountingGroups, maxAccountingPeriods, maxAccountingRows } from '../../src/api/read/accounting.ts';
import { maxHoldings } from '../../src/api/read/nodes.ts';
import { maxNodes } from '../../src/api/schema/mutations/node-inventory.ts';
import { CommandError } from '../../src/engine/ports.ts';
import { apiOnNewDatabase, hour, lease, now } from './fixture.ts';

describe('fixed limits', async () => {
  const api = await apiOnNewDatabase();
  afterAll(() => api[Symbol.asyncDispose]());

  it('are in docs/api.md with their values', () => {
    const docs = readFileSync(new URL('../../docs/api.md', import.meta.url), 'utf8');
    const [, section = ''] = docs.split('\n## Fixed limits\n');
    const [text = ''] = section.split('\n## ');
    const values = [...text.matchAll(/^\| [^|]+ \| ([\d,]+) \|/gm)].map(([, value = '']) =>
      Number(value.replaceAll(',', '')),
    );
    expect(values).toEqual([
      maxPageSize,
      defaultPageSize,
      maxSamples,
      maxAccountingPeriods,
      maxAccountingGroups,
      maxAccountingRows,
      maxScheduled,
      maxWindows,
      maxListed,
      maxHoldings,
      maxEntries,
      maxMachines,
      maxNodes,
      maxTextLength,
      maxUrlLength,
      expectedEntries.holdings,
    ]);
    expect(expectedEntries).toEqual({ machines: 50, nodes: 50, holdings: 100 });
  });

  it('hold for the windows of availability', async () => {
    const query = `{ availability(machines: [{ count: 1, capacity: [{ type: "CPU", amount: 1 }] }], duration: "PT1H") {
      windows { start } } }`;
    const ask = async (count: number) => {
      const windows = Array.from({ length: count }, (_, at) => ({
        start: now + 2 * at * hour,
        end: now + (2 * at + 1) * hour,
      }));
      api.leases.result = async () => ({ earliestStart: now, windows, continueFrom: null });
      return api.ask(query);
    };
    expect((await ask(maxWindows)).data.availability.windows.length).toBe(1_000);
    expect((await ask(maxWindows + 1)).errors?.map(({ message, extensions }) => [extensions?.code, message])).toEqual([
      [
        'OPERATION_TOO_LARGE',
        'There are 1001 intervals of possible starts; the maximum is 1000. Use a shorter interval.',
      ],
    ]);
  });

  it('hold for the leases that a change displaces', async () => {
    const numbers = Array.from({ length: maxListed + 2 }, (_, at) => at + 1);
    await api.prisma.lease.createMany({ data: numbers.map((number) => lease(number, { state: 'ACTIVE' })) });
    api.leases.result = async (kind) => {
      if (kind !== 'update') throw new CommandError('INTERNAL', kind);
      return { lease: 1, displaced: numbers.slice(1) };
    };
    const { data } = await api.ask(
      `mutation { updateLease(input: { id: "${btoa('Lease:1')}", duration: "PT2H" }) { displaced { number } userErrors { code message } } }`,
    );
    expect(data.updateLease.userErrors).toEqual([]);
    expect(data.updateLease.displaced.map((each: { number: number }) => each.number)).toEqual(
      numbers.slice(1, 1 + maxListed),
    );
  });
});
