/** Cases: slow, cancelled and timed-out calls, and processes that end. */
import assert from 'node:assert/strict';
import { done, life, Skipped, type Stage } from './bench.ts';
import type { ConformanceCase } from './case.ts';

/** The call must settle within its time limit, with any result. */
const within = async (stage: Stage, call: Promise<unknown>, what: string): Promise<void> => {
  const began = performance.now();
  await call.catch(() => {});
  const took = performance.now() - began;
  assert(took < stage.patience, `${what} took ${Math.round(took)} ms`);
};

export const interruptions: readonly ConformanceCase[] = [
  {
    name: 'a call that is aborted before it begins rejects, and changes nothing',
    async run(stage) {
      for (const [verb] of life) {
        const before = await stage.inspect();
        await assert.rejects(stage.call(verb, stage.callFor({}, { signal: AbortSignal.abort() })), verb);
        await stage.is(before, `after ${verb} was aborted`);
        await stage.does([verb]);
      }
      const place = { leaseId: stage.leaseId, machine: 1, node: stage.here };
      await assert.rejects(stage.adapter.inspect(place, AbortSignal.abort()), 'inspect');
    },
  },
  {
    name: 'a call that is cancelled half-way ends at once, and the same call finishes the work',
    async run(stage) {
      for (const [verb, status] of life) {
        const controller = new AbortController();
        const call = stage.callFor({}, { signal: controller.signal });
        const begun = stage.call(verb, call);
        setTimeout(() => controller.abort(), 5);
        await within(stage, begun, `${verb}, cancelled`);
        assert.deepEqual(await stage.settle(verb, call), done, `${verb}, called again`);
        await stage.is(status, `after ${verb}`);
      }
    },
  },
  {
    name: 'what was cancelled half-way can be destroyed instead',
    async run(stage) {
      for (const verb of ['start', 'suspend'] as const) {
        if (verb === 'suspend') await stage.does(['start']);
        const controller = new AbortController();
        const begun = stage.call(verb, stage.callFor({}, { signal: controller.signal }));
        setTimeout(() => controller.abort(), 20);
        await within(stage, begun, `${verb}, cancelled`);
        await stage.does(['destroy']);
        await stage.is('absent', `after destroy after a cancelled ${verb}`);
      }
    },
  },
  {
    name: 'a call does not go on beyond its deadline: it answers pending, and the same call finishes the work',
    async run(stage) {
      for (const [verb, status] of life) {
        const call = stage.callFor({}, { deadline: Date.now() });
        const began = performance.now();
        const first = await stage.call(verb, call);
        assert(performance.now() - began < stage.patience, `${verb} goes on beyond its deadline`);
        assert(['done', 'pending'].includes(first.status), `${verb} out of time: ${JSON.stringify(first)}`);
        assert.deepEqual(await stage.settle(verb, { ...call, deadline: null }), done, verb);
        await stage.is(status, `after ${verb}`);
      }
    },
  },
  {
    name: 'a slow operation on one machine does not delay others: inspect answers meanwhile',
    async run(stage) {
      await stage.does(['start'], { machine: 1 });
      const slow = stage.carryOut('suspend', { machine: 1 });
      await within(stage, stage.inspect(2), 'inspect of another machine');
      await within(stage, stage.inspect(1), 'inspect of the machine that is being suspended');
      assert.deepEqual(await slow, done);
      await stage.is('suspended', 'after suspend');
    },
  },
  {
    name: 'an operation that takes long is carried out once, however often it is called, and delays no other',
    needs: 'holdSuspension',
    async run(stage) {
      const { bench, here, leaseId, nodes, there } = stage;
      if (!bench.holdSuspension) throw new Skipped('this bench cannot hold a suspension');
      await stage.does(['start'], { machine: 1 });
      const held = await bench.holdSuspension(leaseId, 1, nodes[0]);
      const slow = stage.callFor({ machine: 1 });
      const again = () => stage.call('suspend', { ...slow, deadline: Date.now() + 50 });
      try {
        assert.deepEqual(await again(), { status: 'pending' }, 'the first call');
        // Other machines on its node, and on others, are started and removed meanwhile.
        for (const [machine, node] of [
          [2, here],
          [3, there],
        ] as const)
          await within(stage, stage.does(['start', 'destroy'], { machine, node }), `machine ${machine}`);
        await within(stage, stage.inspect(1), 'inspect');
        for (const _ of [1, 2, 3]) assert.deepEqual(await again(), { status: 'pending' }, 'another call');
      } finally {
        held.letGo();
      }
      assert.deepEqual(await stage.settle('suspend', slow), done, 'when it was let go');
      await stage.is('suspended', 'after suspend');
      assert.equal(held.times(), 1, 'the backend was told more than once');
    },
  },
  {
    name: 'after a restart inspect reports the actual state, and operations continue from it',
    async run(stage) {
      for (const [verb, status] of life) {
        await stage.does([verb]);
        await stage.restart();
        await stage.is(stage.adapter.remembers ? status : 'absent', `after ${verb} and a restart`);
        assert.deepEqual(await stage.carryOut(verb), done, `${verb}, after a restart`);
        await stage.is(status, `after ${verb} was repeated`);
      }
    },
  },
  {
    name: 'a process that ends in the middle of an operation leaves what the next one can finish or destroy',
    async run(stage) {
      await stage.does(['start']);
      for (const [verb, status] of [
        ['suspend', 'suspended'],
        ['resume', 'running'],
      ] as const) {
        const call = stage.callFor();
        const begun = stage.call(verb, call).catch(() => {});
        await stage.restart();
        await begun;
        assert.deepEqual(await stage.settle(verb, call), done, `${verb}, after a restart`);
        await stage.is(status, `after ${verb}`);
      }
      await stage.does(['destroy']);
      await stage.is('absent', 'after destroy');
    },
  },
];
