import type { Amounts, Availability as AvailabilityFacts } from '../../core/index.ts';
import { mayUseProject } from '../../identity/index.ts';
import { amountsOf } from '../amounts.ts';
import { askAvailability } from '../availability.ts';
import type { ApiContext } from '../context.ts';
import { badInput, clientError } from '../errors.ts';
import { numberOf } from '../global-id.ts';
import { maxWindows } from '../limits.ts';
import { intervalOf } from '../read/interval.ts';
import { builder } from './builder.ts';
import { MachineSetInput, sizeOf } from './machine-inputs.ts';
import { durationErrors, machineErrors } from './mutations/request-errors.ts';

const TimeWindow = builder.objectRef<AvailabilityFacts['windows'][number]>('TimeWindow').implement({
  description: 'An interval [start, end) of possible starts.',
  fields: (t) => ({
    start: t.field({ type: 'DateTime', description: 'Its first instant.', resolve: ({ start }) => start }),
    end: t.field({ type: 'DateTime', description: 'The first instant after it.', resolve: ({ end }) => end }),
  }),
});

const Availability = builder
  .objectRef<AvailabilityFacts & { readonly asOfSequence: number }>('Availability')
  .implement({
    description: 'When machines are available as an advance reservation.',
    fields: (t) => ({
      earliestStart: t.expose('earliestStart', {
        type: 'DateTime',
        nullable: true,
        description: 'The first possible start. Null when there is none.',
      }),
      windows: t.field({
        type: [TimeWindow],
        description: `The possible starts within the interval, if it has an end. OPERATION_TOO_LARGE if there are more than ${maxWindows}.`,
        extensions: { listSize: maxWindows },
        resolve: ({ windows }) => {
          if (windows.length <= maxWindows) return [...windows];
          throw clientError(
            'OPERATION_TOO_LARGE',
            `There are ${windows.length} intervals of possible starts; the maximum is ${maxWindows}. Use a shorter interval.`,
          );
        },
      }),
      asOfSequence: t.expose('asOfSequence', { type: 'Long', description: 'As of this event.' }),
    }),
  });

/** Throws BAD_USER_INPUT or INVALID_ID. */
function projectOf(principal: ApiContext['principal'], id: string | null | undefined): number | null {
  if (typeof id !== 'string') return principal.projects.length === 1 ? (principal.projects[0] ?? null) : null;
  const number = numberOf('Project', id);
  if (mayUseProject(principal, number)) return number;
  throw badInput(`Project ${number} does not exist, or the principal is not a member.`);
}

builder.queryField('availability', (t) =>
  t.field({
    type: Availability,
    description:
      'When such machines are first available, and the intervals in [from, to) in which they could start.',
    extensions: {
      machines: (args: { readonly machines: Parameters<typeof sizeOf>[0] }) => sizeOf(args.machines),
    },
    args: {
      machines: t.arg({ type: [MachineSetInput], required: true, description: 'The machines.' }),
      duration: t.arg({ type: 'Duration', required: true, description: 'Their running time.' }),
      from: t.arg({ type: 'DateTime', description: 'The earliest start; without it, now.' }),
      project: t.arg.id({
        description:
          'The project for which they would be requested, whose quotas count. Default: the only project of the principal.',
      }),
      to: t.arg({ type: 'DateTime', description: 'The end of the interval; without it, no windows.' }),
    },
    resolve: async (_root, { machines, duration, from, project, to }, { principal, services, signal }) => {
      intervalOf(from, to);
      const [error] = [
        ...machineErrors(machines, services.site.resourceTypes, 'machines'),
        ...durationErrors(duration, 'duration'),
      ];
      if (error) throw badInput(`\`${error.path?.join('.')}\` is not valid. ${error.message}`);
      const asOfSequence = services.leases.lastEvent();
      const found = await askAvailability(
        services.leases,
        {
          machines: machines.flatMap(({ count, capacity }) =>
            new Array<Amounts>(count).fill(amountsOf(capacity)),
          ),
          duration,
          preemptible: false,
          project: projectOf(principal, project),
          from: from ?? services.leases.now(),
          to: to ?? null,
        },
        principal,
        signal,
      );
      return { ...found, asOfSequence };
    },
  }),
);
