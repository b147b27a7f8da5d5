import { describe, expect, test } from 'vitest';
import { HostLedger } from '../../src/engine/hosts/ledger.ts';

const machine = (leaseId: number, cpu = 50) => ({ leaseId, machine: 1, node: 1, capacity: { CPU: cpu } });

function ledgerOfOneNode(): HostLedger {
  const ledger = new HostLedger();
  ledger.know([{ number: 1, hostname: 'node-1', capacity: { CPU: 100 } }]);
  return ledger;
}

const inTheWay = (ledger: HostLedger, leaseId: number, actionId: number, cpu = 50): number[] =>
  ledger.inTheWayOf(machine(leaseId, cpu), actionId).map((each) => each.leaseId);

describe('a machine may start', () => {
  test('where there is room, and beside machines that run as planned', () => {
    const ledger = ledgerOfOneNode();
    ledger.hold(machine(1));
    expect(inTheWay(ledger, 2, 10)).toEqual([]);
    ledger.hold(machine(2));
    expect(inTheWay(ledger, 3, 11)).toEqual([]);
  });

  test('after what leaves before it has left', () => {
    const ledger = ledgerOfOneNode();
    ledger.hold(machine(1, 100));
    ledger.beginRelease(machine(1, 100), 'SUSPEND', 5);
    expect(inTheWay(ledger, 2, 6)).toEqual([1]);
    // Decided before the suspension, which may itself wait for it.
    expect(inTheWay(ledger, 2, 4)).toEqual([]);
    ledger.release(machine(1), 5);
    expect(inTheWay(ledger, 2, 6)).toEqual([]);
  });

  test('after what has yet to come and is to leave before it', () => {
    const ledger = ledgerOfOneNode();
    ledger.beginRelease(machine(1, 100), 'SUSPEND', 8);
    expect(inTheWay(ledger, 2, 9)).toEqual([1]);
    expect(inTheWay(ledger, 2, 7)).toEqual([]);
    ledger.endRelease(machine(1), 8);
    expect(inTheWay(ledger, 2, 9)).toEqual([]);
  });

  test('after a machine that is suspended, resumed and suspended again has left for the last time before it', () => {
    const ledger = ledgerOfOneNode();
    ledger.hold(machine(1, 100));
    ledger.beginRelease(machine(1, 100), 'SUSPEND', 5);
    ledger.beginRelease(machine(1, 100), 'SUSPEND', 8);
    expect(inTheWay(ledger, 2, 9)).toEqual([1]);
    ledger.release(machine(1), 5);
    // It comes back with action 6.
    expect(inTheWay(ledger, 2, 9)).toEqual([1]);
    ledger.hold(machine(1, 100));
    expect(ledger.isReleasing(machine(1))).toBe(true);
    expect(inTheWay(ledger, 2, 9)).toEqual([1]);
    ledger.release(machine(1), 8);
    expect(inTheWay(ledger, 2, 9)).toEqual([]);
    expect(ledger.isSettled(1)).toBe(true);
  });
});

test('what is left of a machine is removed before it comes back', () => {
  const ledger = ledgerOfOneNode();
  // Its memory was saved: it holds no capacity.
  ledger.beginRelease(machine(1), 'DESTROY', 5);
  expect(inTheWay(ledger, 1, 6)).toEqual([1]);
  expect(inTheWay(ledger, 2, 6)).toEqual([]);
  expect(ledger.isSettled(1)).toBe(false);
  // Decided before the removal.
  expect(inTheWay(ledger, 1, 4)).toEqual([]);
  ledger.release(machine(1), 5);
  expect(inTheWay(ledger, 1, 6)).toEqual([]);
  expect(ledger.isSettled(1)).toBe(true);
});

test('who waits for a node is woken when something has left', async () => {
  const ledger = ledgerOfOneNode();
  ledger.hold(machine(1));
  const woken = ledger.changed(1, new AbortController().signal);
  ledger.release(machine(1), 1);
  await woken;
});
