/** Cases: each operation, each repeated operation, and impossible operations. */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { done, life, Skipped } from './bench.ts';
import type { ConformanceCase } from './case.ts';

export const operations: readonly ConformanceCase[] = [
  {
    name: 'a machine that never existed is absent',
    run: (stage) => stage.is('absent', 'before anything'),
  },
  {
    name: 'a machine goes through all its states, and inspect reports each of them',
    async run(stage) {
      for (const [verb, status] of life) {
        assert.deepEqual(await stage.carryOut(verb), done, verb);
        await stage.is(status, `after ${verb}`);
      }
    },
  },
  {
    name: 'every operation may be repeated: the same call, and another one that finds its work done',
    async run(stage) {
      for (const [verb, status] of life) {
        const call = stage.callFor();
        assert.deepEqual(await stage.settle(verb, call), done, verb);
        assert.deepEqual(await stage.settle(verb, call), done, `${verb}, the same call`);
        assert.deepEqual(await stage.carryOut(verb), done, `${verb}, another call`);
        await stage.is(status, `after ${verb}`);
      }
    },
  },
  {
    name: 'the same call made twice at the same time is carried out once',
    async run(stage) {
      for (const [verb, status] of life) {
        const call = stage.callFor();
        const both = await Promise.all([stage.settle(verb, call), stage.settle(verb, call)]);
        assert.deepEqual(both, [done, done], verb);
        await stage.is(status, `after ${verb}`);
      }
    },
  },
  {
    name: 'a machine starts without having been prepared',
    async run(stage) {
      await stage.does(['start']);
      await stage.is('running', 'after start');
    },
  },
  {
    name: 'a suspended machine can be moved, and is then on the other node alone',
    async run(stage) {
      const { here, there } = stage;
      await stage.does(['start', 'suspend']);
      await stage.does(['migrate'], { toNode: there });
      await stage.does(['migrate'], { toNode: there });
      await stage.is('absent', 'where it was', 1, here);
      await stage.is('suspended', 'where it went', 1, there);
      await stage.does(['resume'], { node: there });
      await stage.is('running', 'after resume', 1, there);
      await stage.does(['destroy'], { node: there });
      await stage.is('absent', 'after destroy', 1, there);
    },
  },
  {
    name: 'a prepared machine can be moved, and starts on the other node',
    async run(stage) {
      await stage.does(['prepare']);
      await stage.does(['migrate'], { toNode: stage.there });
      await stage.is('absent', 'where it was', 1, stage.here);
      await stage.does(['start'], { node: stage.there });
      await stage.is('running', 'after start', 1, stage.there);
    },
  },
  {
    name: 'a machine can be destroyed in any state',
    async run(stage) {
      const reached = ['prepare', 'start', 'suspend', 'resume'] as const;
      for (let count = 0; count <= reached.length; count += 1) {
        await stage.does(reached.slice(0, count));
        await stage.does(['destroy']);
        await stage.is('absent', `after destroy after ${reached[count - 1] ?? 'nothing'}`);
      }
    },
  },
  {
    name: 'an unknown machine: removing it is done, suspending, resuming and moving it is refused',
    async run(stage) {
      await stage.does(['shutdown', 'destroy']);
      // An adapter without persistent state assumes that an unknown machine is in the state that the operation needs.
      if (!stage.adapter.remembers) return;
      await stage.refuses('suspend');
      await stage.refuses('resume');
      await stage.refuses('migrate', { toNode: stage.there });
      await stage.is('absent', 'after what was refused');
    },
  },
  {
    name: 'an operation that the state does not allow is refused, and changes nothing',
    async run(stage) {
      await stage.does(['prepare']);
      await stage.refuses('suspend');
      await stage.is('prepared', 'after suspend was refused');
      await stage.does(['start', 'suspend']);
      await stage.refuses('start');
      await stage.refuses('shutdown');
      await stage.is('suspended', 'after start and shutdown were refused');
    },
  },
  {
    name: 'a running machine is moved as a whole, or not at all',
    async run(stage) {
      const { here, there } = stage;
      await stage.does(['start']);
      const result = await stage.carryOut('migrate', { toNode: there });
      const moved = result.status === 'done';
      if (!moved) assert.equal(result.status, 'failed');
      await stage.is(moved ? 'absent' : 'running', 'where it was', 1, here);
      await stage.is(moved ? 'running' : 'absent', 'where it would go', 1, there);
    },
  },
  {
    name: 'machines do not affect each other',
    async run(stage) {
      await stage.does(['start'], { machine: 1 });
      await stage.does(['prepare'], { machine: 2 });
      await stage.is('running', 'the first');
      await stage.is('prepared', 'the second', 2);
      await stage.is('absent', 'the third', 3);
      await stage.does(['destroy'], { machine: 2 });
      await stage.is('running', 'the first, after the second was destroyed');
    },
  },
  {
    name: 'a group in which one machine fails: the others are done, and each is what inspect says',
    async run(stage) {
      const machines = [1, 2, 3];
      await Promise.all(machines.map((machine) => stage.does(['start'], { machine })));
      await stage.does(['suspend'], { machine: 2 });
      const results = await Promise.all(machines.map((machine) => stage.carryOut('shutdown', { machine })));
      assert.deepEqual(
        results.map(({ status }) => status),
        ['done', 'failed', 'done'],
      );
      const found = await Promise.all(machines.map((machine) => stage.inspect(machine)));
      assert.deepEqual(found, ['absent', 'suspended', 'absent']);
    },
  },
  {
    name: 'list names every machine on a node, in the state that inspect reports, and no other',
    async run(stage) {
      const { adapter, here, there, leaseId } = stage;
      if (!adapter.list) throw new Skipped('the adapter does not list');
      await Promise.all([
        stage.does(['start'], { machine: 1 }),
        stage.does(['start', 'suspend'], { machine: 2 }),
        stage.does(['start'], { machine: 3, node: there }),
      ]);
      const list = async (node: number) =>
        ((await adapter.list?.(node, AbortSignal.timeout(stage.patience))) ?? [])
          .filter((each) => each.leaseId === leaseId)
          .map(({ machine, node: at, status }) => `${machine} ${at} ${status}`)
          .sort();
      assert.deepEqual(await list(here), [`1 ${here} running`, `2 ${here} suspended`]);
      assert.deepEqual(await list(there), [`3 ${there} running`]);
    },
  },
  {
    name: 'a machine that stops by itself is reported as stopped, and can be removed or started anew',
    needs: 'stopMachine',
    async run(stage) {
      const { adapter, bench, leaseId, nodes } = stage;
      if (!bench.stopMachine) throw new Skipped('machines of this bench do not stop by themselves');
      const told = new AbortController();
      const heard: string[] = [];
      adapter.watch?.((place) => heard.push(`${place.leaseId}/${place.machine}`), told.signal);
      await stage.does(['start']);
      await bench.stopMachine(leaseId, 1, nodes[0]);
      await stage.becomes('stopped');
      for (const limit = Date.now() + stage.settleTime; adapter.watch && !heard.includes(`${leaseId}/1`); ) {
        assert(Date.now() < limit, 'watch does not tell of it');
        await sleep(50);
      }
      told.abort();
      await stage.refuses('suspend');
      await stage.does(['start']);
      await stage.is('running', 'after it was started anew');
      await bench.stopMachine(leaseId, 1, nodes[0]);
      await stage.becomes('stopped');
      await stage.does(['shutdown']);
      await stage.is('absent', 'after shutdown');
    },
  },
];
