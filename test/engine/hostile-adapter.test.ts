/** Adapters that break their promises: the engine goes on, and what is stored is bounded. */
import { describe, expect, test } from 'vitest';
import { defaultLimits } from '../../src/engine/limits.ts';
import {
  type ActionResult,
  type HostedMachine,
  type MachinePlace,
  type MachineStatus,
  maxActionOutput,
} from '../../src/engine/ports.ts';
import { bestEffort, Harness, hours, minutes, principal, settle } from '../support/engine-harness.ts';

const done: ActionResult = { status: 'done' };
const inspectEachMinute = { inspectInterval: minutes(1) };

/** A lease whose start is answered like this. */
async function startedWith(answer: () => unknown) {
  const harness = new Harness({ nodes: 1 });
  const { engine, adapter } = await harness.start();
  adapter.answer = (what) => (what === 'start' ? (answer() as Promise<ActionResult>) : Promise.resolve(done));
  await engine.submit('request', bestEffort(hours(1)), { principal });
  await harness.pass(minutes(2), 1_000);
  return harness;
}

describe('an action', () => {
  test.each<[what: string, answer: () => unknown, message: string]>([
    [
      'throws at once',
      () => {
        throw new Error('no such library');
      },
      'no such library',
    ],
    ['rejects with nothing', () => Promise.reject(), 'nothing'],
    ['rejects with what is no text', () => Promise.reject(Object.create(null)), '{}'],
    ['rejects with a symbol', () => Promise.reject(Symbol('why')), 'Symbol(why)'],
    ['answers nothing', () => undefined, 'the adapter scripted answered start with nothing'],
    ['answers a word', () => 'done', 'the adapter scripted answered start with "done"'],
    ['answers null', async () => null, 'the adapter scripted answered start with null'],
    [
      'answers another status',
      async () => ({ status: 'finished' }),
      'the adapter scripted answered start with {"status":"finished"}',
    ],
  ])('that %s is tried again, and then fails with that', async (_, answer, message) => {
    await using harness = await startedWith(answer);
    const reason = `START of machine 1 of lease 1 on node 1: ${message} (after 5 attempts)`;
    expect(harness.database.leases.get(1)).toMatchObject({
      state: 'FAILED',
      reason: { code: 'ACTION_FAILED', message: reason },
    });
    expect(harness.database.actions.get(1)).toMatchObject({ state: 'FAILED', outcome: { attempts: 5 } });
  });

  test('that fails without a reason fails with words of its own', async () => {
    await using harness = await startedWith(async () => ({ status: 'failed', reason: 12 }));
    expect(harness.database.leases.get(1)?.reason?.message).toBe(
      'START of machine 1 of lease 1 on node 1: the adapter gives no reason',
    );
  });

  test('whose reason, error or output has no end is recorded with a part of it', async () => {
    const flood = 'x'.repeat(10_000_000);
    for (const answer of [async () => ({ status: 'failed', reason: flood }), () => Promise.reject(new Error(flood))]) {
      await using harness = await startedWith(answer);
      const { length } = harness.database.leases.get(1)?.reason?.message ?? '';
      expect(length).toBeGreaterThan(maxActionOutput);
      expect(length).toBeLessThan(maxActionOutput + 100);
    }
    await using harness = await startedWith(async () => ({ ...done, output: flood }));
    expect(harness.database.actions.get(1)?.outcome?.output).toBe('x'.repeat(maxActionOutput));
  });

  test('that prints much is recorded with the end of it, also when it has to be escaped', async () => {
    const printed = `${'\u001b'.repeat(4_000)}no space left`;
    await using one = await startedWith(async () => ({ ...done, output: printed }));
    const output = one.database.actions.get(1)?.outcome?.output;
    expect(output).toHaveLength(maxActionOutput);
    expect(output).toMatch(/\\u001bno space left$/);
    await using harness = new Harness({ nodes: 2 });
    const { engine, adapter } = await harness.start();
    const answered = { ...done, output: `${'x'.repeat(3_000)}the end` };
    adapter.answer = (what) => Promise.resolve(what === 'start' ? answered : done);
    await engine.submit('request', bestEffort(hours(1), 2), { principal });
    await harness.pass(minutes(2), 1_000);
    const both = harness.database.actions.get(1)?.outcome?.output;
    expect(both).toHaveLength(maxActionOutput);
    expect(both).toMatch(/the end\n.*the end$/);
  });

  test('whose reason, error or output commands a terminal is recorded with that escaped', async () => {
    const printed = 'a\r\nb\tc\u001b[2J\u0007\u009b1m\u202ed\0';
    const shown = 'a\nb\tc\\u001b[2J\\u0007\\u009b1m\\u202ed\\u0000';
    await using finished = await startedWith(async () => ({ ...done, output: printed }));
    expect(finished.database.actions.get(1)?.outcome?.output).toBe(shown);
    await using failed = await startedWith(async () => ({
      status: 'failed',
      reason: printed,
      output: printed,
    }));
    expect(failed.database.leases.get(1)?.reason?.message).toContain(`on node 1: ${shown}`);
    expect(failed.database.actions.get(1)?.outcome).toMatchObject({ output: shown });
    await using thrown = await startedWith(() => Promise.reject(new Error(printed)));
    expect(thrown.database.actions.get(1)?.outcome?.error).toContain(shown);
  });

  test('whose output is no text is done without any', async () => {
    await using harness = await startedWith(async () => ({ ...done, output: 12 }));
    expect(harness.database.actions.get(1)).toMatchObject({ state: 'SUCCEEDED', outcome: { output: null } });
    expect(harness.state(1)).toBe('ACTIVE');
  });

  test('an answer that comes after the operator has decided changes nothing', async () => {
    await using harness = new Harness({ nodes: 1 });
    const { engine, adapter } = await harness.start();
    const answers: ((result: ActionResult) => void)[] = [];
    adapter.answer = (what) =>
      what === 'start' ? new Promise((resolve) => answers.push(resolve)) : Promise.resolve(done);
    await engine.submit('request', bestEffort(hours(1)), { principal });
    await settle();
    await engine.submit('recoverAction', { actionId: 1, recovery: 'RETRY' }, { principal });
    await settle();
    expect(answers).toHaveLength(2);
    // The first call was given up.
    answers[0]?.({ status: 'failed', reason: 'no' });
    await settle();
    expect(harness.database.actions.get(1)?.state).toBe('PENDING');
    await engine.submit('recoverAction', { actionId: 1, recovery: 'ASSUME_FAILURE' }, { principal });
    answers[1]?.(done);
    await settle();
    expect(harness.state(1)).toBe('FAILED');
    expect(adapter.log).toEqual(['start 1/1', 'start 1/1', 'destroy 1/1']);
  });
});

describe('a host that cannot be reached, in the words of a module', () => {
  test('is marked DOWN', async () => {
    await using harness = new Harness({
      nodes: 2,
      limits: { maxHostFailures: 2, dispatch: { ...defaultLimits.dispatch, attempts: 2 } },
    });
    const { engine, adapter } = await harness.start();
    adapter.answer = (_, { target }) =>
      target.node === 1
        ? Promise.reject(Object.assign(new Error('no route to host'), { name: 'HostUnreachable' }))
        : Promise.resolve(done);
    await engine.submit('request', bestEffort(hours(1)), { principal });
    await harness.pass(minutes(1), 1_000);
    expect(harness.database.nodeStates.get(1)).toBe('DOWN');
    expect(harness.database.nodeCauses.get(1)?.message).toBe('its host does not answer: no route to host');
  });
});

describe('an inspection', () => {
  /** A lease that runs, on hosts that are asked each minute. */
  async function running(prepare: (adapter: Awaited<ReturnType<Harness['start']>>['adapter']) => void) {
    const harness = new Harness({ nodes: 2, limits: { ...inspectEachMinute, maxHostFailures: 100 } });
    const { engine, adapter } = harness.make();
    adapter.remembers = true;
    prepare(adapter);
    await engine.start();
    await engine.submit('request', bestEffort(hours(1), 2), { principal });
    await settle();
    return { harness, adapter, engine };
  }

  test.each<[answer: unknown]>([[undefined], ['on'], [{ status: 'absent' }]])(
    'that answers %j proves nothing',
    async (answer) => {
      const { harness } = await running((adapter) => {
        adapter.inspect = async () => answer as MachineStatus;
      });
      await using _ = harness;
      await harness.pass(minutes(3), minutes(1));
      expect(harness.state(1)).toBe('ACTIVE');
    },
  );

  test.each<[answer: unknown]>([
    [undefined],
    [{}],
    [[null]],
    [[{ leaseId: 1, machine: 1, node: 1, status: 'on' }]],
    [[{ leaseId: '1', machine: 1, node: 1, status: 'running' }]],
    // Of another node.
    [[{ leaseId: 1, machine: 1, node: 99, status: 'running' }]],
  ])('whose list is %j proves nothing', async (answer) => {
    const { harness } = await running((adapter) => {
      adapter.list = async () => answer as HostedMachine[];
    });
    await using _ = harness;
    await harness.pass(minutes(3), minutes(1));
    expect(harness.state(1)).toBe('ACTIVE');
  });

  test('goes on where hosts cannot be watched', async () => {
    const { harness } = await running((adapter) => {
      adapter.watch = () => {
        throw new Error('no events');
      };
      adapter.inspect = async () => 'stopped';
    });
    await using _ = harness;
    await harness.pass(minutes(1));
    expect(harness.state(1)).toBe('DONE');
  });

  test('goes on where an adapter cannot say what it does on a node', async () => {
    let asked = 0;
    const { harness } = await running((adapter) => {
      adapter.inspect = async () => 'stopped';
      adapter.on = () => {
        asked += 1;
        if (asked <= 2) throw new Error('no such node');
        return { remembers: true };
      };
    });
    await using _ = harness;
    await harness.pass(minutes(3), minutes(1));
    expect(harness.state(1)).toBe('DONE');
  });

  test('is made once, and once more, for any number of changes at a time', async () => {
    let tell: (place: MachinePlace) => void = () => {};
    const asked: (() => void)[] = [];
    const { harness } = await running((adapter) => {
      adapter.remembers = false;
      adapter.watch = (onChange) => {
        tell = onChange;
      };
      adapter.inspect = () => new Promise((resolve) => asked.push(() => resolve('running')));
    });
    await using _ = harness;
    for (let count = 0; count < 1_000; count += 1) tell({ leaseId: 1, machine: 1, node: 1 });
    tell(undefined as unknown as MachinePlace);
    tell({ leaseId: 'x' } as unknown as MachinePlace);
    let answered = 0;
    for (; answered < asked.length || answered === 0; answered += 1) {
      await settle();
      asked[answered]?.();
      await harness.pass(1_000);
    }
    // Two machines, twice.
    expect(answered).toBe(4);
  });

  test('of a host that hangs delays that of no other', async () => {
    const says = new Map<number, MachineStatus>([[2, 'running']]);
    const harness = new Harness({
      nodes: 2,
      limits: {
        ...{ ...inspectEachMinute, maxHostFailures: 100 },
        dispatch: { ...defaultLimits.dispatch, callTimeout: hours(1) },
      },
    });
    await using _ = harness;
    const { engine, adapter } = harness.make();
    adapter.remembers = true;
    adapter.list = (node) =>
      node === 1
        ? new Promise(() => {})
        : Promise.resolve([{ leaseId: 2, machine: 1, node, status: says.get(node) ?? 'absent' }]);
    await engine.start();
    for (let count = 0; count < 2; count += 1) await engine.submit('request', bestEffort(hours(1)), { principal });
    await harness.pass(minutes(2), minutes(1));
    expect([1, 2].map((lease) => harness.state(lease))).toEqual(['ACTIVE', 'ACTIVE']);
    says.set(2, 'stopped');
    await harness.pass(minutes(1));
    expect([1, 2].map((lease) => harness.state(lease))).toEqual(['ACTIVE', 'DONE']);
  });
});
