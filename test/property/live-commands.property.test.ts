import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Command as SimulationCommand } from '../../src/simulation/commands.ts';
import { simulate } from '../../src/simulation/run.ts';
import {
  capacityFaults,
  chainFaults,
  expectNoFaults,
  sequenceFaults,
  unfinishedFaults,
} from '../support/invariants/index.ts';
import { type Closed, closureFaults } from './closure-faults.ts';
import { LiveRun } from './live-commands.ts';
import { type FileCommand, isFileCommand, type LiveScenario, liveScenarios } from './live-scenarios.ts';
import { promiseFaults } from './promise-faults.ts';
import { PATIENT, runs } from './run.ts';
import { START } from './scenario.ts';

describe('changes to running leases', () => {
  it.each([
    ['keep every promise that they do not break openly', [0]],
    ['also when the scheduler is restored from its snapshot again and again', [1, 3]],
  ])('%s', PATIENT, (_what, restoredEvery) => {
    fc.assert(
      fc.property(liveScenarios, fc.constantFrom(...restoredEvery), (scenario, every) => {
        const run = new LiveRun(scenario, every).toEnd();
        const history = run.ledger.history();
        const executed = history.reservations.filter(({ state }) => state !== 'SCHEDULED');
        expectNoFaults([
          ...capacityFaults(run.largestSite, executed),
          ...chainFaults(executed),
          ...closureFaults(executed, run.closed, 0),
          ...sequenceFaults(history.events),
          ...unfinishedFaults(history),
          ...promiseFaults(history),
        ]);
      }),
      { numRuns: runs(500) },
    );
  });

  it('leave no trace when they are refused: a run without them is equal', PATIENT, () => {
    fc.assert(
      fc.property(liveScenarios, (scenario) => {
        const whole = new LiveRun(scenario, 0).toEnd();
        const accepted = scenario.commands.filter((_command, index) => whole.answers[index] === null);
        const without = new LiveRun({ ...scenario, commands: accepted }, 0).toEnd();
        expect(without.answers.every((code) => code === null)).toBe(true);
        expect(JSON.stringify(without.ledger.history())).toBe(JSON.stringify(whole.ledger.history()));
      }),
      { numRuns: runs(300) },
    );
  });

  it('leave no trace when they are refused in a simulation', PATIENT, () => {
    fc.assert(
      fc.property(liveScenarios, (scenario) => {
        const commands = scenario.commands.filter(isFileCommand);
        const whole = simulation(scenario, commands);
        const accepted = commands.filter((_command, index) => whole.commands[index]?.accepted);
        const without = simulation(scenario, accepted);
        expect(JSON.stringify(without.leases)).toBe(JSON.stringify(whole.leases));
        expect(JSON.stringify(without.events)).toBe(JSON.stringify(whole.events));
        expect(without.summary).toEqual(whole.summary);
        expect(without.commands.every(({ accepted: isAccepted }) => isAccepted)).toBe(true);
      }),
      { numRuns: runs(700) },
    );
  });
});

describe('the check of closed nodes', () => {
  const none = { id: 2, vmId: null, start: 20, end: 30, machines: null, moves: null, targets: null };
  const vm = { ...none, kind: 'VM', machines: { 1: 7 } };
  const migration = { ...none, kind: 'MEMORY_MIGRATION', vmId: 3, moves: { 1: [7, 8] as const } };
  const transfer = { ...none, kind: 'IMAGE_TRANSFER', targets: { 7: [[1, 1]] } };
  const faults = (why: Closed['why'], from: number, node: number, found: Parameters<typeof closureFaults>[0]) =>
    closureFaults(found, [{ node, why, from, to: 100 }], 0).length;

  it.each([
    ['a VM', vm],
    ['a resumption', { ...vm, kind: 'RESUMPTION', vmId: 3 }],
    ['an image transfer', transfer],
  ])('finds %s that starts on a draining node, and none that had started', (_what, found) => {
    expect([19, 20, 21].map((from) => faults('DRAINING', from, 7, [found]))).toEqual([1, 1, 0]);
  });

  it('finds memory that is moved to a draining node, and lets it leave one', () => {
    expect([7, 8].map((node) => faults('DRAINING', 10, node, [migration]))).toEqual([0, 1]);
  });

  it.each(['SUSPENSION', 'SHUTDOWN'])('lets a %s begin on a draining node', (kind) => {
    expect(faults('DRAINING', 10, 7, [{ ...vm, kind, vmId: 3 }])).toBe(0);
  });

  it('lets a resumption go on that had begun before', () => {
    const chain = [{ ...vm, kind: 'RESUMPTION', id: 1, vmId: 2, start: 10, end: 20, machines: { 2: 8 } }, vm];
    expect([10, 11].map((from) => faults('DRAINING', from, 7, chain))).toEqual([1, 0]);
  });

  it.each(['DOWN', 'MAINTENANCE'] as const)('finds whatever lies on a node that is %s', (why) => {
    for (const found of [vm, migration, transfer]) {
      expect([29, 30].map((from) => faults(why, from, 7, [found]))).toEqual([1, 0]);
    }
  });
});

/** The same scenario as a simulation. */
function simulation(scenario: LiveScenario, commands: readonly FileCommand[]) {
  const { site, config, requests, cancellations } = scenario;
  const since = (instant: number | null | undefined) => (instant == null ? null : instant - START);
  return simulate({
    workload: {
      name: null,
      description: null,
      site,
      attributes: {},
      leases: requests.map(({ at, request }, index) => ({
        id: index + 1,
        type: request.type,
        arrival: at - START,
        machines: request.machines,
        duration: request.duration,
        knownDuration: request.knownDuration ?? null,
        start: since(request.start),
        deadline: since(request.deadline),
        preemptible: request.preemptible,
        image: request.image ?? null,
        user: null,
      })),
    },
    cancellations: cancellations.map(({ at, leaseId }) => ({ at: at - START, leaseId })),
    commands: commands.map(commandOf),
    config: {
      scheduler: config,
      startTime: START,
      site,
      stopWhen: 'all-leases-done',
      overheads: { applyTo: 'none', runtimeSlowdown: 0, bootShutdown: 0 },
      overrideMemory: null,
      probes: [],
      attributes: {},
    },
  });
}

function commandOf(command: FileCommand, line: number): SimulationCommand {
  const at = command.at - START;
  switch (command.kind) {
    case 'update': {
      const { asFarAsPossible = false, start, deadline, duration } = command.update;
      const terms = {
        ...(start === undefined ? {} : { start: start - START }),
        ...(duration === undefined ? {} : { duration }),
        ...(deadline === undefined ? {} : { deadline: deadline - START }),
      };
      return { kind: 'update', at, line, lease: command.lease, terms, asFarAsPossible };
    }
    case 'maintenance': {
      const { name, nodes, start, end } = command.maintenance;
      const { collisions } = command;
      return {
        kind: 'maintenance',
        at,
        line,
        name,
        nodes,
        start: start - START,
        end: end - START,
        collisions,
      };
    }
    default:
      return { ...command, at, line };
  }
}
