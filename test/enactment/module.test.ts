import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, describe, expect, test } from 'vitest';
import { benchOf } from '../../src/enactment/conformance/index.ts';
import { createAdapter, hostSite } from '../../src/enactment/index.ts';
import { root } from '../house/sources.ts';
import { describeConformance } from './conformance.ts';

const folder = mkdtempSync(join(tmpdir(), 'leasegraph-module-'));
afterAll(() => rmSync(folder, { recursive: true }));

const log = pino({ level: 'silent' });
const machinesFile = join(folder, 'machines.json');
const path = join(root, 'docs/examples/adapters/notebook.js');

describeConformance({
  ...benchOf({
    adapter: { kind: 'module', path, options: { file: machinesFile } },
    nodes: [],
    image: null,
    capacity: { CPU: 100, Memory: 64 },
    log,
  }),
  name: 'docs/examples/adapters/notebook.js',
  provideImage: async () => true,
  stopMachine: async (leaseId, machine, { number }) => {
    const machines = JSON.parse(readFileSync(machinesFile, 'utf8'));
    writeFileSync(machinesFile, JSON.stringify({ ...machines, [`${leaseId}/${machine}@${number}`]: 'stopped' }));
  },
});

describe('a module that is no adapter is refused, with what is wrong', () => {
  const load = async (text: string | null): Promise<unknown> => {
    const file = join(folder, `${Math.random()}.mjs`);
    if (text !== null) writeFileSync(file, text);
    const loaded = createAdapter([{ kind: 'module', path: file }], { site: hostSite('test', []), log });
    return loaded.then(
      () => 'taken',
      (error: Error) => error.message.replace(file, 'FILE'),
    );
  };

  test.each([
    [null, 'FILE: the adapter cannot be loaded: there is no such file'],
    ['export default 1', 'FILE: the default export is not a function that makes an adapter'],
    ['export const adapter = () => ({})', 'FILE: the default export is not a function that makes an adapter'],
    ['export default () => null', 'FILE: the adapter has no prepare()'],
    ['throw new Error("no such library")', 'FILE: the adapter cannot be loaded: no such library'],
  ])('%s', async (text, message) => {
    expect(await load(text)).toBe(message);
  });

  test('a name and a memory are needed', async () => {
    const methods = 'prepare start shutdown suspend resume migrate destroy inspect forget close'
      .split(' ')
      .map((each) => `${each}() {}`)
      .join(', ');
    expect(await load(`export default () => ({ ${methods} })`)).toBe('FILE: the adapter has no name');
    expect(await load(`export default () => ({ name: 'x', ${methods} })`)).toBe(
      'FILE: the adapter does not say whether it remembers',
    );
    expect(await load(`export default () => ({ name: 'x', remembers: false, ${methods} })`)).toBe('taken');
  });
});
