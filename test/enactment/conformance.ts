/** What every adapter must do, whatever it drives. Point it at one: `describeConformance('libvirt', () => new LibvirtAdapter(…))`. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ActionTarget } from '../../src/core/index.ts';
import type { ActionCall, ActionResult, Adapter, MachineStatus } from '../../src/engine/ports.ts';

type Verb = 'prepare' | 'start' | 'shutdown' | 'suspend' | 'resume' | 'migrate' | 'destroy';

export interface ConformanceOptions {
  /** How long one call may take, in milliseconds, before it must have said `done`, `pending` or `failed`. */
  readonly patience?: number;
  /** Two nodes that machines can be moved between. */
  readonly nodes?: readonly [number, number];
}

export const describeConformance = (
  name: string,
  makeAdapter: () => Promise<Adapter> | Adapter,
  { patience = 5_000, nodes: [here, there] = [1, 2] }: ConformanceOptions = {},
): void => {
  describe(`${name}: conformance`, () => {
    let adapter: Adapter;
    let lastAction = 0;

    beforeEach(async () => {
      adapter = await makeAdapter();
    });
    afterEach(() => adapter.close());

    const target = (machine = 1, node = here): ActionTarget => ({
      leaseId: 900_001,
      machine,
      node,
      toNode: null,
      capacity: { CPU: 100, Memory: 64 },
      image: { name: 'conformance', sizeMb: 8 },
    });

    const callFor = (of: Partial<ActionTarget> = {}, more: Partial<ActionCall> = {}): ActionCall => {
      lastAction += 1;
      return {
        actionId: lastAction,
        target: { ...target(), ...of },
        signal: AbortSignal.timeout(patience),
        deadline: null,
        ...more,
      };
    };

    /** Asks until it is no longer going on. */
    const settle = async (verb: Verb, call: ActionCall): Promise<ActionResult> => {
      for (;;) {
        const result = await adapter[verb](call);
        if (result.status !== 'pending') return result;
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    };

    const carryOut = (verb: Verb, of: Partial<ActionTarget> = {}): Promise<ActionResult> =>
      settle(verb, callFor(of));

    const inspect = (machine = 1, node = here): Promise<MachineStatus> =>
      adapter.inspect({ leaseId: 900_001, machine, node }, AbortSignal.timeout(patience));

    const done = { status: 'done' };
    const life: readonly (readonly [Verb, MachineStatus])[] = [
      ['prepare', 'prepared'],
      ['start', 'running'],
      ['suspend', 'suspended'],
      ['resume', 'running'],
      ['shutdown', 'absent'],
      ['destroy', 'absent'],
    ];

    test('a machine that never was is absent', async () => {
      expect(await inspect()).toBe('absent');
    });

    test('a machine goes through its life in order, and inspect tells the truth at every step', async () => {
      for (const [verb, status] of life) {
        expect(await carryOut(verb), verb).toEqual(done);
        expect(await inspect(), `after ${verb}`).toBe(status);
      }
    });

    test('every call may be repeated: the same action, and another one that finds its work done', async () => {
      for (const [verb, status] of life) {
        const call = callFor();
        expect(await settle(verb, call), verb).toEqual(done);
        expect(await settle(verb, call), `${verb}, the same call`).toEqual(done);
        expect(await carryOut(verb), `${verb}, another call`).toEqual(done);
        expect(await inspect(), `after ${verb}`).toBe(status);
      }
    });

    test('the same call at the same time, twice, is one', async () => {
      for (const [verb, status] of life) {
        const call = callFor();
        expect(await Promise.all([settle(verb, call), settle(verb, call)]), verb).toEqual([done, done]);
        expect(await inspect(), `after ${verb}`).toBe(status);
      }
    });

    test('a suspended machine can be moved, and is then on the other node alone', async () => {
      for (const verb of ['prepare', 'start', 'suspend'] as const) await carryOut(verb);
      expect(await carryOut('migrate', { toNode: there })).toEqual(done);
      expect(await carryOut('migrate', { toNode: there })).toEqual(done);
      expect([await inspect(1, here), await inspect(1, there)]).toEqual(['absent', 'suspended']);
      expect(await carryOut('resume', { node: there })).toEqual(done);
      expect(await inspect(1, there)).toBe('running');
      expect(await carryOut('destroy', { node: there })).toEqual(done);
      expect(await inspect(1, there)).toBe('absent');
    });

    test('a machine can be destroyed in any state', async () => {
      for (const [, until] of life) {
        for (const [verb, status] of life) {
          await carryOut(verb);
          if (status === until) break;
        }
        expect(await carryOut('destroy'), `destroy when ${until}`).toEqual(done);
        expect(await inspect(), `after destroy when ${until}`).toBe('absent');
      }
    });

    test('what is not there can be shut down: whoever removed it did the work', async () => {
      expect(await carryOut('shutdown')).toEqual(done);
      expect(await carryOut('destroy')).toEqual(done);
    });

    test('a running machine is not suspended, resumed or moved by halves: what cannot be done is a failure with a reason', async () => {
      await carryOut('prepare');
      await carryOut('start');
      expect(await carryOut('migrate', { toNode: there })).toEqual({
        status: 'failed',
        reason: expect.stringMatching(/\S/),
      });
      expect(await inspect()).toBe('running');
      await carryOut('suspend');
      expect(await carryOut('shutdown')).toEqual({ status: 'failed', reason: expect.stringMatching(/\S/) });
      expect(await inspect()).toBe('suspended');
      await carryOut('destroy');
    });

    test('machines do not know of each other', async () => {
      await carryOut('prepare', { machine: 1 });
      await carryOut('start', { machine: 1 });
      await carryOut('prepare', { machine: 2 });
      expect([await inspect(1), await inspect(2), await inspect(3)]).toEqual([
        'running',
        'prepared',
        'absent',
      ]);
      await carryOut('destroy', { machine: 2 });
      expect([await inspect(1), await inspect(2)]).toEqual(['running', 'absent']);
      await carryOut('destroy', { machine: 1 });
    });

    test('an aborted call ends at once and changes nothing', async () => {
      for (const [verb] of life) {
        const before = await inspect();
        await expect(adapter[verb](callFor({}, { signal: AbortSignal.abort() })), verb).rejects.toThrow();
        expect(await inspect(), `after an aborted ${verb}`).toBe(before);
        expect(await carryOut(verb)).toEqual(done);
      }
      await expect(
        adapter.inspect({ leaseId: 900_001, machine: 1, node: here }, AbortSignal.abort()),
      ).rejects.toThrow();
    });

    test('a call does not go on beyond its deadline: it says `pending`, and the same call finishes it', async () => {
      for (const [verb, status] of life) {
        const call = callFor({}, { deadline: Date.now() });
        const began = performance.now();
        const first = await adapter[verb](call);
        expect(performance.now() - began, verb).toBeLessThan(patience);
        expect(['done', 'pending'], verb).toContain(first.status);
        expect(await settle(verb, { ...call, deadline: null }), verb).toEqual(done);
        expect(await inspect(), `after ${verb}`).toBe(status);
      }
    });
  });
};
