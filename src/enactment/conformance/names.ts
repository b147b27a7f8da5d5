/** Cases: names and values that are harmless only if treated as data. */
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HostNode } from '../../engine/ports.ts';
import { done, life } from './bench.ts';
import type { ConformanceCase } from './case.ts';

/**
 * `trap` is a file that exists once a shell has run a part of the name. Most names hold no slash, so that they can be
 * the names of files.
 */
function hostileNames(trap: string): readonly string[] {
  const touch = `touch "$(printf '%b' '${trap.replaceAll('/', '\\057')}')"`;
  return [
    'with spaces and\ttabs',
    `double "quotes" and 'single' ones`,
    `; ${touch} ;`,
    `$(${touch})`,
    `\`${touch}\``,
    `& ${touch} | cat #`,
    `"; ${touch}; "`,
    `'; ${touch}; '`,
    `$(touch '${trap}')`,
    '-rf',
    '--help',
    '../../../../tmp/../etc',
    `%s %n \${HOME} $HOME ~ * ? [a-z] {a,b}`,
    'ünïcödé – 日本語 – 🖥️',
    'back\\slash',
    'new\nline',
    `<xml attribute="&amp;">]]>`,
    'a,b=c:d;e',
  ];
}

export const names: readonly ConformanceCase[] = [
  {
    name: 'an image name is data: it is never run, taken for an option, or a way out of a folder',
    async run(stage) {
      await withTrap(async (trap) => {
        for (const [index, name] of hostileNames(trap).entries()) {
          const image = { name, sizeMb: 1 };
          const exists = (await stage.bench.provideImage?.(image)) ?? false;
          const said = JSON.stringify(name);
          // The first name goes through the whole life of a machine; a start prepares what is not prepared.
          const steps = index === 0 ? life : exists ? startAlone : prepareFirst;
          for (const [verb, status] of steps) {
            const result = await stage.carryOut(verb, { image });
            // An image of that name need not exist: then it is refused, and nothing is left.
            if (result.status === 'failed' && !exists) await stage.does(['destroy'], { image });
            else assert.deepEqual(result, done, `${verb} of ${said}`);
            await stage.is(result.status === 'failed' ? 'absent' : status, `after ${verb} of ${said}`);
          }
        }
      });
    },
  },
  {
    name: 'hostnames, labels and resource types are data',
    async run(stage) {
      await withTrap(async (trap) => {
        const name = hostileNames(trap).join(' ');
        const [here, there] = stage.bench.nodes;
        const called = (node: HostNode, hostname: string): HostNode => ({
          ...node,
          hostname,
          labels: { ...node.labels, [name]: name },
        });
        const capacity = { ...stage.bench.capacity, [name]: 1 };
        await using other = await stage.beside([called(here, name), called(there, `${name} 2`)]);
        for (const verb of ['start', 'shutdown'] as const) await other.does([verb], { capacity });
        await other.is('absent', 'after shutdown');
      });
    },
  },
];

const startAlone: typeof life = [
  ['start', 'running'],
  ['destroy', 'absent'],
];
const prepareFirst: typeof life = [['prepare', 'prepared'], ...startAlone];

async function withTrap(use: (trap: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'leasegraph-trap-'));
  const trap = join(folder, 'sprung');
  try {
    await use(trap);
    assert(!existsSync(trap), 'a part of a name was run as a command');
  } finally {
    rmSync(folder, { recursive: true });
  }
}
