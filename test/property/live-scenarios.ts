/** Scenarios with commands that change leases, nodes and quotas while leases run. */
import fc from 'fast-check';
import {
  type Amounts,
  type Collisions,
  DAY,
  HOUR,
  type Instant,
  type LeaseUpdate,
  type MaintenanceRecord,
  type NodeState,
  type Quota,
  type Scheduler,
  SECOND,
  type SiteSpec,
} from '../../src/core/index.ts';
import { type Scenario, START, scenarios } from './scenario.ts';

/** Commands that a file of commands for a simulation can contain, too. */
export type FileCommand = { readonly at: Instant } & (
  | { readonly kind: 'update'; readonly lease: number; readonly update: LeaseUpdate }
  | { readonly kind: 'cancel'; readonly lease: number }
  | { readonly kind: 'node'; readonly node: number; readonly set: NodeState; readonly collisions: Collisions }
  | { readonly kind: 'maintenance'; readonly maintenance: MaintenanceRecord; readonly collisions: Collisions }
  | { readonly kind: 'endMaintenance'; readonly name: string }
);

export type Command =
  | FileCommand
  | ({ readonly at: Instant } & (
      | { readonly kind: 'end'; readonly lease: number }
      | { readonly kind: 'addNodes'; readonly capacities: readonly Amounts[] }
      | { readonly kind: 'updateNode'; readonly node: number; readonly capacity: Amounts }
      | { readonly kind: 'removeNode'; readonly node: number }
      | { readonly kind: 'quotas'; readonly quotas: readonly Quota[] }
    ));

const notInFiles: readonly Command['kind'][] = ['end', 'addNodes', 'updateNode', 'removeNode', 'quotas'];

export function isFileCommand(command: Command): command is FileCommand {
  return !notInFiles.includes(command.kind);
}

export interface LiveScenario extends Scenario {
  readonly commands: readonly Command[];
}

/** The project whose quotas are set. */
const project = 1;

const instant = fc.nat({ max: 4000 }).map((second) => START + second * SECOND);
const length = fc.constantFrom(1, 10, 61, 300, 600, 900, 1800, 3600, 7200).map((value) => value * SECOND);
const collisions = fc.constantFrom<Collisions[]>('REFUSE', 'DISPLACE', 'DISPLACE');
const unlimited = { amount: null, amountHours: null, period: null, maxDuration: null, maxLeases: null };

/** Some limits of one or two resource types, of the same type twice now and then (which is refused), or none. */
const quotas: fc.Arbitrary<Quota[]> = fc.array(
  fc.record({ type: fc.constantFrom('CPU', 'Memory') }).chain(({ type }) => {
    const factor = type === 'CPU' ? 1 : 5;
    return fc.constantFrom<Quota[]>(
      { ...unlimited, type, amount: 100 * factor },
      { ...unlimited, type, amount: 200 * factor },
      { ...unlimited, type, amountHours: 50 * factor, period: HOUR },
      { ...unlimited, type, maxDuration: 900 * SECOND },
      { ...unlimited, type, maxLeases: 2 },
    );
  }),
  { maxLength: 2 },
);

function commandsFor(leases: number, { nodes }: SiteSpec): fc.Arbitrary<Command> {
  const lease = fc.integer({ min: 1, max: leases + 1 });
  // Also one that may have been added.
  const node = fc.integer({ min: 1, max: nodes.length + 1 });
  const capacity = fc.constantFrom(...nodes.map((each) => each.capacity));
  const update = fc.record(
    { duration: length, start: instant, deadline: instant, asFarAsPossible: fc.boolean() },
    { requiredKeys: [] },
  );
  const of = <K extends Command['kind'], T extends object>(kind: K, others: { [P in keyof T]: fc.Arbitrary<T[P]> }) =>
    fc.record({ kind: fc.constant(kind), at: instant, ...others } as never) as fc.Arbitrary<
      { readonly kind: K; readonly at: Instant } & T
    >;
  return fc.oneof(
    {
      weight: 5,
      arbitrary: of('update', { lease, update: fc.oneof(update, fc.record({ duration: length })) }),
    },
    { weight: 1, arbitrary: of('cancel', { lease }) },
    { weight: 2, arbitrary: of('end', { lease }) },
    {
      weight: 4,
      arbitrary: of('node', {
        node,
        set: fc.constantFrom<NodeState[]>('UP', 'UP', 'DRAINING', 'DOWN'),
        collisions,
      }),
    },
    {
      weight: 3,
      arbitrary: fc
        .record({
          at: instant,
          name: fc.constantFrom('a', 'b', 'c'),
          nodes: fc.array(node, { minLength: 1, maxLength: 2 }),
          wait: fc.oneof(fc.constant(0), length),
          length,
          collisions,
        })
        .map(({ at, name, nodes: some, wait, length: lasts, collisions: how }) => ({
          kind: 'maintenance' as const,
          at,
          maintenance: { name, nodes: some, start: at + wait, end: at + wait + lasts },
          collisions: how,
        })),
    },
    { weight: 1, arbitrary: of('endMaintenance', { name: fc.constantFrom('a', 'b', 'c') }) },
    {
      weight: 1,
      arbitrary: of('addNodes', { capacities: fc.array(capacity, { minLength: 1, maxLength: 2 }) }),
    },
    { weight: 1, arbitrary: of('updateNode', { node, capacity }) },
    { weight: 2, arbitrary: of('removeNode', { node }) },
    { weight: 1, arbitrary: of('quotas', { quotas }) },
  );
}

/** Some of the requests have a deadline, and some belong to the project with quotas. */
const withDeadlines = (scenario: Scenario): fc.Arbitrary<Scenario> =>
  fc
    .array(
      fc.record({
        is: fc.boolean(),
        wait: fc.constantFrom(null, 0, 60, 600),
        slack: fc.constantFrom(0, 10, 100, 600, 3600),
        project: fc.constantFrom(null, null, project),
      }),
      { minLength: scenario.requests.length, maxLength: scenario.requests.length },
    )
    .map((choices) => ({
      ...scenario,
      requests: scenario.requests.map(({ at, request: asked }, index) => {
        const choice = choices[index] as (typeof choices)[number];
        const { is, wait, slack } = choice;
        const request = { ...asked, project: choice.project };
        if (!is) return { at, request };
        const start = wait === null ? null : at + wait * SECOND;
        const deadline = (start ?? at) + request.duration + (slack + 120) * SECOND;
        return { at, request: { ...request, type: 'DEADLINE' as const, start, deadline } };
      }),
    }));

/** At the end every node is up again, what was removed is there again, and nothing is limited: every lease can end. */
function lastCommands({ nodes }: SiteSpec): Command[] {
  const at = START + DAY;
  return [
    ...nodes.map(({ number }): Command => ({ kind: 'node', at, node: number, set: 'UP', collisions: 'DISPLACE' })),
    { kind: 'quotas', at, quotas: [] },
    { kind: 'addNodes', at, capacities: nodes.map(({ capacity }) => capacity) },
  ];
}

export const liveScenarios: fc.Arbitrary<LiveScenario> = scenarios()
  .chain(withDeadlines)
  .chain((scenario) =>
    fc.array(commandsFor(scenario.requests.length, scenario.site), { minLength: 1, maxLength: 10 }).map((commands) => ({
      ...scenario,
      commands: [...commands.sort((a, b) => a.at - b.at), ...lastCommands(scenario.site)],
    })),
  );

export function give(scheduler: Scheduler, command: Command, at: Instant): void {
  switch (command.kind) {
    case 'update':
      scheduler.update(at, command.lease, command.update);
      break;
    case 'cancel':
      scheduler.cancel(at, command.lease);
      break;
    case 'end':
      scheduler.vmEnded(at, command.lease);
      break;
    case 'node':
      scheduler.setNodeState(at, command.node, command.set, command.collisions);
      break;
    case 'maintenance':
      scheduler.planMaintenance(at, command.maintenance, command.collisions);
      break;
    case 'endMaintenance':
      scheduler.endMaintenance(at, command.name);
      break;
    case 'addNodes': {
      const count = scheduler.site.nodes.length;
      const added = command.capacities.map((capacity, index) => ({
        number: count + index + 1,
        hostname: `added-${count + index + 1}`,
        capacity,
      }));
      scheduler.addNodes(at, added);
      break;
    }
    case 'updateNode':
      scheduler.updateNode(at, command.node, { capacity: command.capacity });
      break;
    case 'removeNode':
      scheduler.removeNode(at, command.node);
      break;
    case 'quotas':
      scheduler.setQuotas(at, project, command.quotas);
  }
}
