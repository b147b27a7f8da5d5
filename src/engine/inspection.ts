/** After a start: asks the hosts whether the machines that should be running are. */
import type { Logger } from 'pino';
import type { LeaseRecord } from '../core/index.ts';
import type { Clock } from './clock.ts';
import type { ActionReport, Dispatcher } from './dispatcher.ts';
import { CallSlots } from './host-calls.ts';
import type { EngineLimits } from './limits.ts';
import type { Adapter } from './ports.ts';
import { linkedController, orAborted, type Wake } from './wake.ts';

export interface InspectionOptions {
  readonly adapter: Pick<Adapter, 'inspect' | 'remembers'>;
  readonly dispatcher: Pick<Dispatcher, 'isBusyWith'>;
  readonly clock: Clock;
  readonly limits: Pick<EngineLimits, 'dispatch'>;
  readonly log: Logger;
  readonly reports: ActionReport[];
  readonly wake: Wake;
  readonly signal: AbortSignal;
}

/** Reports the leases of which a machine is not running. Hosts that do not answer are believed. Never rejects. */
export const inspectMachines = async (
  leases: readonly Pick<LeaseRecord, 'id' | 'mapping'>[],
  { adapter, clock, dispatcher, limits, log, reports, signal, wake }: InspectionOptions,
): Promise<void> => {
  if (!adapter.remembers) return;
  const slots = new CallSlots(limits.dispatch.concurrentCalls);
  const inspect = async (lease: Pick<LeaseRecord, 'id' | 'mapping'>): Promise<void> => {
    for (const [machine, node] of Object.entries(lease.mapping ?? {})) {
      const release = await slots.take();
      if (signal.aborted) return release();
      using limit = linkedController(signal);
      const timer = new AbortController();
      void clock.sleep(limits.dispatch.callTimeout, timer.signal).then(() => limit.abort());
      try {
        const target = { leaseId: lease.id, machine: Number(machine), node };
        const gone = (): Error => new Error('no answer');
        const status = await orAborted(adapter.inspect(target, limit.signal), limit.signal, gone);
        // What its own actions are changing meanwhile says nothing.
        if (status === 'running' || signal.aborted || dispatcher.isBusyWith(lease.id)) continue;
        const message = `machine ${machine} on node ${node} should be running, but is ${status}`;
        log.error({ lease: lease.id, machine: target.machine, node }, message);
        reports.push({ outcome: null, failures: [{ leaseId: lease.id, code: 'MACHINE_LOST', message }] });
        wake.notify();
        return;
      } catch (error) {
        if (!signal.aborted)
          log.warn(
            { lease: lease.id, machine, node, err: error },
            'a host does not say what its machine does',
          );
      } finally {
        timer.abort();
        release();
      }
    }
  };
  await Promise.all(leases.map(inspect));
};
