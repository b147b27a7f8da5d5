import { expect, test } from 'vitest';
import { type Bench, runConformance } from '../../src/enactment/conformance/index.ts';
import { SimulatedAdapter } from '../../src/enactment/index.ts';
import { type Adapter, type HostNode, HostUnreachable } from '../../src/engine/ports.ts';

const node = (number: number): HostNode => {
  const hostname = `host${number}`;
  return { number, hostname, address: hostname, labels: {}, capacity: { CPU: 100, Memory: 1024 } };
};

function benchWith(inspect: Adapter['inspect']): Bench {
  return {
    name: 'test',
    nodes: [node(1), node(2)],
    capacity: { CPU: 100, Memory: 64 },
    image: null,
    make: async () => Object.assign(new SimulatedAdapter(), { inspect }),
  };
}

test.each([
  ['', new HostUnreachable('no route to host')],
  [', in the words of a module,', Object.assign(new Error('no route to host'), { name: 'HostUnreachable' })],
])('a host that does not answer%s is the only result', async (_, failure) => {
  const told: string[] = [];
  const bench = benchWith(async ({ node: number }) => {
    if (number === 2) throw failure;
    return 'absent';
  });
  const results = await runConformance(bench, ({ name }) => told.push(name));
  expect(results).toEqual([
    {
      name: 'the hosts answer',
      outcome: 'failed',
      message: 'host2 does not answer: no route to host',
      duration: expect.any(Number),
    },
  ]);
  expect(told).toEqual(['the hosts answer']);
});
