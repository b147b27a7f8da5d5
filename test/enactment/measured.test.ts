import { pino } from 'pino';
import { expect, test } from 'vitest';
import { createAdapter, type HostCall, hostSite } from '../../src/enactment/index.ts';

test('every call of every adapter is told, with what came of it', async () => {
  const calls: HostCall[] = [];
  const site = hostSite('test', [
    { number: 1, hostname: 'real', capacity: { CPU: 100, Memory: 1024 } },
    { number: 2, hostname: 'rehearsal', capacity: { CPU: 100, Memory: 1024 } },
  ]);
  const adapter = await createAdapter(
    [
      { kind: 'simulated', failureProbability: 1, nodes: { hostnames: ['real'] } },
      { kind: 'dry-run', nodes: { hostnames: ['re*'] } },
    ],
    { site, log: pino({ level: 'silent' }), observe: (call) => void calls.push(call) },
  );
  const call = (node: number, signal: AbortSignal) => ({
    actionId: node,
    target: { leaseId: 1, machine: 1, node, toNode: null, capacity: {}, image: null },
    signal,
    deadline: null,
  });
  const signal = new AbortController().signal;
  await adapter.start(call(1, signal));
  await adapter.start(call(2, signal));
  await adapter.inspect({ leaseId: 1, machine: 1, node: 2 }, signal);
  await expect(adapter.destroy(call(2, AbortSignal.abort()))).rejects.toThrow();
  expect(calls.map(({ adapter: name, operation, outcome }) => `${name} ${operation} ${outcome}`)).toEqual([
    'simulated start failed',
    'dry-run start done',
    'dry-run inspect done',
    'dry-run destroy error',
  ]);
  expect(await adapter.migrate({ ...call(1, signal), target: { ...call(1, signal).target, toNode: 2 } })).toEqual({
    status: 'failed',
    reason: 'nodes 1 and 2 are driven by different adapters, between which nothing can be moved',
  });
  await adapter.close();
});
