/** Machines that hosts have not removed: the plan knows what they hold. */
import { expect, test } from 'vitest';
import type { ActionResult } from '../../src/engine/ports.ts';
import {
  bestEffort,
  epoch,
  Harness,
  hours,
  minutes,
  principal,
  type Running,
  reservationAt,
  settle,
} from '../support/engine-harness.ts';
import { pathFaults } from '../support/invariants/index.ts';

const done: ActionResult = { status: 'done' };
const refused: ActionResult = { status: 'failed', reason: 'the host says no' };
const never = (): Promise<ActionResult> => new Promise(() => {});
const seconds = (count: number): number => count * 1_000;

/** Machines on these nodes cannot be removed. */
function refuseRemovals({ adapter }: Running, nodes: ReadonlySet<number>): void {
  adapter.answer = async (what, { target: { node } }) => (what === 'destroy' && nodes.has(node) ? refused : done);
}

function startsOf({ adapter }: Running): string[] {
  return adapter.calls
    .filter(({ what }) => what === 'start')
    .map(({ call: { target } }) => `${target.leaseId}/${target.machine} on ${target.node}`);
}

/** A lease on node 1 was cancelled, and its machine cannot be removed. */
async function stuckOnFirst(nodes: number, options: ConstructorParameters<typeof Harness>[0] = {}) {
  const harness = new Harness({ nodes, ...options });
  const running = await harness.start();
  const stuck = new Set([1]);
  refuseRemovals(running, stuck);
  await running.engine.submit('request', bestEffort(hours(1)), { principal });
  await settle();
  await running.engine.submit('cancel', { leaseNumber: 1 }, { principal });
  await settle();
  return { harness, running, stuck };
}

test('leases are planned on other nodes', async () => {
  const { harness, running } = await stuckOnFirst(3);
  await using _ = harness;
  for (let count = 0; count < 2; count += 1)
    await running.engine.submit('request', bestEffort(minutes(10)), { principal });
  await harness.pass(minutes(1), seconds(1));
  expect(startsOf(running)).toEqual(['1/1 on 1', '2/1 on 2', '3/1 on 3']);
});

test('what is planned on the node later keeps its place if the machine is gone by then, and is late otherwise', async () => {
  const { harness, running, stuck } = await stuckOnFirst(2);
  await using _ = harness;
  const { engine } = running;
  await engine.submit('request', reservationAt(epoch + minutes(5), minutes(2), 2), { principal });
  await engine.submit('request', reservationAt(epoch + minutes(10), minutes(6), 2), { principal });
  await harness.pass(minutes(4), seconds(5));
  stuck.clear();
  await harness.pass(minutes(4), seconds(5));
  expect(harness.state(2)).toBe('DONE');
  expect(startsOf(running)).toEqual(['1/1 on 1', '2/1 on 1', '2/2 on 2']);
  stuck.add(1);
  await engine.submit('request', bestEffort(minutes(2)), { principal });
  await settle();
  await engine.submit('cancel', { leaseNumber: 4 }, { principal });
  await harness.pass(minutes(4), seconds(5));
  stuck.clear();
  await harness.pass(minutes(5), seconds(5));
  // It needs both nodes: it starts late, and its end stays.
  expect(harness.database.leases.get(3)).toMatchObject({ state: 'DONE' });
  const late = harness.database.leases.get(3)?.actualStart ?? 0;
  expect(late).toBeGreaterThan(epoch + minutes(10));
  expect(harness.database.leases.get(3)?.accumulated).toBe(epoch + minutes(16) - late);
  const told = harness.database.notices.filter(({ leaseId }) => leaseId === 3);
  expect(told[0]).toMatchObject({
    kind: 'LEASE_LATE',
    reason: { code: 'HOSTS_LATE', message: 'a machine of lease 4 is not removed from node 1 yet' },
  });
});

test('a lease that needs the node begins when the machine is gone', async () => {
  const { harness, running, stuck } = await stuckOnFirst(1);
  await using _ = harness;
  await running.engine.submit('request', bestEffort(minutes(10)), { principal });
  await harness.pass(minutes(30), seconds(5));
  expect(harness.state(2)).not.toBe('ACTIVE');
  expect(running.adapter.log).not.toContain('start 2/1');
  stuck.clear();
  await harness.pass(minutes(2), seconds(1));
  expect(harness.database.leases.get(2)).toMatchObject({ state: 'ACTIVE', restarts: 0 });
});

test('a removal without an answer holds its place, too', async () => {
  await using harness = new Harness({ nodes: 2 });
  const running = await harness.start();
  running.adapter.answer = (what) => (what === 'destroy' ? never() : Promise.resolve(done));
  await running.engine.submit('request', bestEffort(hours(1)), { principal });
  await settle();
  await running.engine.submit('cancel', { leaseNumber: 1 }, { principal });
  await harness.pass(seconds(3), seconds(1));
  await running.engine.submit('request', bestEffort(minutes(10)), { principal });
  await settle();
  expect(startsOf(running).at(-1)).toBe('2/1 on 2');
});

test('a start that waits for the machine moves to a node that is free', async () => {
  await using harness = new Harness({ nodes: 2 });
  const running = await harness.start();
  const { engine } = running;
  const stuck = new Set([1]);
  refuseRemovals(running, stuck);
  for (let count = 0; count < 2; count += 1) await engine.submit('request', bestEffort(hours(1)), { principal });
  await settle();
  // Both in one turn: the removal has not failed yet when the other lease is planned.
  const cancelled = engine.submit('cancel', { leaseNumber: 1 }, { principal });
  const requested = engine.submit('request', bestEffort(minutes(10)), { principal });
  await Promise.all([cancelled, requested]);
  await harness.pass(seconds(30), seconds(1));
  expect(harness.database.leases.get(3)).toMatchObject({ state: 'ACTIVE', mapping: { 1: 1 }, restarts: 0 });
  expect(startsOf(running)).toEqual(['1/1 on 1', '2/1 on 2']);
  await engine.submit('cancel', { leaseNumber: 2 }, { principal });
  await harness.pass(minutes(2), seconds(1));
  expect(startsOf(running)).toEqual(['1/1 on 1', '2/1 on 2', '3/1 on 2']);
  expect(harness.database.notices.filter(({ leaseId }) => leaseId === 3)).toMatchObject([
    { kind: 'LEASE_MOVED', reason: { code: 'HOSTS_LATE' } },
  ]);
  await harness.pass(minutes(12), seconds(5));
  // What it waited for on the first node is no running time.
  expect(harness.database.leases.get(3)).toMatchObject({
    ...{ state: 'DONE', accumulated: minutes(10), lostDuration: 0, restarts: 1 },
  });
});

test('only what the machine has is held', async () => {
  await using harness = new Harness({ nodes: 1 });
  const running = await harness.start();
  refuseRemovals(running, new Set([1]));
  const half = { ...bestEffort(hours(1)), machines: [{ CPU: 50, Memory: 512 }] };
  await running.engine.submit('request', half, { principal });
  await settle();
  await running.engine.submit('cancel', { leaseNumber: 1 }, { principal });
  await settle();
  for (let count = 0; count < 2; count += 1) await running.engine.submit('request', half, { principal });
  await harness.pass(minutes(5), seconds(5));
  expect(startsOf(running)).toEqual(['1/1 on 1', '2/1 on 1']);
});

test('the capacity stays held over a restart', async () => {
  const { harness, running, stuck } = await stuckOnFirst(2);
  await using _ = harness;
  await running.engine.submit('request', bestEffort(hours(2)), { principal });
  await harness.pass(minutes(5), seconds(5));
  await running.engine.submit('request', bestEffort(minutes(10)), { principal });
  await harness.pass(minutes(5), seconds(5));
  const planned = harness.database.leases.get(3)?.plannedStart ?? 0;
  await harness.pass(planned - harness.clock.now() - 500);
  running.store.kill();
  const second = harness.make();
  refuseRemovals(second, stuck);
  await second.engine.start();
  await settle();
  expect(harness.database.leases.get(3)?.plannedStart).toBeGreaterThan(planned);
  await harness.pass(minutes(5), seconds(1));
  expect([2, 3].map((lease) => harness.state(lease))).toEqual(['ACTIVE', 'READY']);
  expect(new Set(second.adapter.log)).toEqual(new Set(['destroy 1/1']));
  // What was due before the restart is over: nothing is planned anew for it.
  const { events, leases } = harness.database;
  expect(pathFaults([...leases.values()], events)).toEqual([]);
  stuck.clear();
  await harness.pass(minutes(2), seconds(1));
  expect(harness.state(3)).toBe('ACTIVE');
});

test('a node is in use while a machine remains on it', async () => {
  const { harness, running, stuck } = await stuckOnFirst(2);
  await using _ = harness;
  const { engine } = running;
  const drained = { node: 1, state: 'DRAINING', collisions: 'DISPLACE', by: 'ada', reason: null } as const;
  await engine.submit('setNodeState', drained, { principal });
  await expect(engine.submit('removeNode', { node: 1 }, { principal })).rejects.toMatchObject({
    code: 'NODE_IN_USE',
  });
  stuck.clear();
  await harness.pass(minutes(2), seconds(1));
  await engine.submit('removeNode', { node: 1 }, { principal });
});

test('a quarantined lease holds the places of its machines until it is discarded and they are gone', async () => {
  await using harness = new Harness({ nodes: 2 });
  const first = await harness.start();
  await first.engine.submit('request', bestEffort(hours(1)), { principal });
  await settle();
  await first.engine.stop();
  const lease = harness.database.leases.get(1);
  if (lease) harness.database.leases.set(1, { ...lease, duration: 0 });
  const second = await harness.start();
  const { engine } = second;
  expect(harness.database.quarantined).toEqual([1]);
  for (let count = 0; count < 2; count += 1) await engine.submit('request', bestEffort(hours(3)), { principal });
  await harness.pass(hours(2), minutes(1));
  expect(startsOf(second)).toEqual(['2/1 on 2']);
  second.adapter.answer = (what) => (what === 'destroy' ? never() : Promise.resolve(done));
  await engine.submit('discard', { leaseNumber: 1 }, { principal });
  await settle();
  expect(harness.state(3)).not.toBe('ACTIVE');
  const stuck = new Set([1]);
  refuseRemovals(second, stuck);
  await harness.pass(minutes(10), seconds(10));
  expect(startsOf(second)).toEqual(['2/1 on 2']);
  stuck.clear();
  await harness.pass(minutes(2), seconds(10));
  expect(startsOf(second)).toEqual(['2/1 on 2', '3/1 on 1']);
});

test('does not count time before a failed start as running time', async () => {
  await using harness = new Harness({ nodes: 2 });
  const { adapter, engine } = await harness.start();
  let fail = (): void => {};
  adapter.answer = (what) =>
    what === 'start'
      ? new Promise((resolve) => {
          fail = () => resolve(refused);
        })
      : Promise.resolve(done);
  for (let count = 0; count < 2; count += 1) await engine.submit('request', bestEffort(hours(1)), { principal });
  await harness.pass(minutes(5), seconds(30));
  await engine.submit('cancel', { leaseNumber: 1 }, { principal });
  fail();
  await settle();
  for (const [number, state] of [
    [1, 'CANCELLED'],
    [2, 'FAILED'],
  ] as const) {
    expect(harness.database.leases.get(number)).toMatchObject({ state, accumulated: 0, actualStart: null });
    const vm = [...harness.database.reservations.values()].find(({ leaseId }) => leaseId === number);
    expect(vm).toMatchObject({ state: 'CANCELLED', start: epoch + minutes(5), end: epoch + minutes(5) });
  }
});
