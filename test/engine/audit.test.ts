import { describe, expect, test } from 'vitest';
import { parseCommand } from '../../src/engine/commands/table.ts';
import { StoreError } from '../../src/engine/ports.ts';
import { bestEffort, Harness, hours, principal } from '../support/engine-harness.ts';

const note = { role: 'USER', mutation: 'requestLease', requestId: 'r-1', subject: null };
const options = { principal, audit: note };
const recorded = {
  ...note,
  ...{ principal: principal.name, subject: btoa('Lease:1'), outcome: 'OK' },
};

describe('the audit record of a command', () => {
  test('is written with what the command changed, also one that a standby forwards', async () => {
    await using harness = new Harness({ nodes: 1 });
    const { engine } = await harness.start();
    const standby = await harness.start();
    await engine.submit('request', bestEffort(hours(1)), options);
    expect(harness.database.audit).toEqual([recorded]);
    const cancel = { ...note, mutation: 'cancelLease', requestId: 'r-2', subject: btoa('Lease:1') };
    await standby.engine.submit('cancel', { leaseNumber: 1 }, { principal, audit: cancel });
    expect(harness.database.audit[1]).toEqual({ ...cancel, principal: principal.name, outcome: 'OK' });
  });

  test.each([
    ['before its commit takes effect', 'before', []],
    ['after its commit, before anybody is answered', 'after', [recorded]],
  ] as const)('is there if the command is, when the server is killed %s', async (_when, fault, records) => {
    await using harness = new Harness({ nodes: 1 });
    const { engine, store } = await harness.start();
    store.commitFault = () => {
      store.commitFault = () => {
        throw new StoreError('FENCED', 'the process was killed');
      };
      return fault;
    };
    const answer = engine.submit('request', bestEffort(hours(1)), options);
    answer.catch(() => {});
    await harness.pass(500, 100);
    expect(harness.database.audit).toEqual(records);
    expect(harness.database.leases.size).toBe(records.length);
  });

  test('is not written for a command that is refused, and once for one that is repeated under its key', async () => {
    await using harness = new Harness({ nodes: 1 });
    const { engine } = await harness.start();
    const keyed = { ...options, idempotencyKey: 'key' };
    await engine.submit('request', bestEffort(hours(1)), keyed);
    await engine.submit('request', bestEffort(hours(1)), keyed);
    expect(harness.database.audit).toEqual([recorded, recorded]);
    expect(harness.database.leases.size).toBe(1);
    await expect(engine.submit('cancel', { leaseNumber: 9 }, options)).rejects.toMatchObject({
      code: 'LEASE_NOT_FOUND',
    });
    expect(harness.database.audit).toHaveLength(2);
  });

  test('keeps its shape on the way from another server', () => {
    const command = { kind: 'cancel', principal: 'ada', input: { leaseNumber: 1 } };
    expect(parseCommand({ ...command, audit: note })?.audit).toEqual(note);
    expect(parseCommand({ ...command, audit: { role: 3 } })).not.toHaveProperty('audit');
  });
});
