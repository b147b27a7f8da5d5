/** Names and values that are harmless only as data. */
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HostNode } from '../../engine/ports.ts';
import { done, life } from './bench.ts';
import type { ConformanceCase } from './case.ts';

/** `trap` is a file that exists once a shell has run a part of the name. */
const hostileNames = (trap: string): readonly string[] => [
  'with spaces and\ttabs',
  `double "quotes" and 'single' ones`,
  `; touch '${trap}' ;`,
  `$(touch '${trap}')`,
  `\`touch '${trap}'\``,
  `& touch '${trap}' | cat > '${trap}' #`,
  '-rf',
  '--help',
  '../../../../tmp/../etc',
  `%s %n \${HOME} $HOME ~ * ? [a-z] {a,b}`,
  'ünïcödé – 日本語 – 🖥️',
  'back\\slash and\nnew line',
  `<xml attribute="&amp;">]]></xml>`,
];

export const names: readonly ConformanceCase[] = [
  {
    name: 'an image name is data: it is never run, taken for an option, or a way out of a folder',
    async run(stage) {
      await withTrap(async (trap) => {
        for (const name of hostileNames(trap)) {
          const image = { name, sizeMb: 1 };
          await stage.bench.provideImage?.(image);
          for (const [verb, status] of life) {
            const result = await stage.carryOut(verb, { image });
            // An image of that name need not exist. What was refused at first has no later.
            if (result.status === 'failed' && !stage.bench.provideImage) break;
            assert.deepEqual(result, done, `${verb} of ${JSON.stringify(name)}`);
            await stage.is(status, `after ${verb} of ${JSON.stringify(name)}`);
          }
          await stage.does(['destroy'], { image });
          await stage.is('absent', `after destroy of ${JSON.stringify(name)}`);
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
