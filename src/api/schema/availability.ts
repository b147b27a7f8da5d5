import type { Amounts, Availability as AvailabilityFacts } from '../../core/index.ts';
import { amountsOf } from '../amounts.ts';
import { askAvailability } from '../availability.ts';
import type { ApiContext } from '../context.ts';
import { badInput, clientError } from '../errors.ts';
import { maxWindows } from '../limits.ts';
import { intervalOf } from '../read/interval.ts';
import { builder } from './builder.ts';
import { MachineSetInput, sizeOf } from './machine-inputs.ts';
import { projectOfRequest } from './mutations/ownership.ts';
import { Refused } from './mutations/payload.ts';
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

/** The project for which `requestLease` would request them. Throws the codes with which it would be refused. */
async function projectOf(context: ApiContext, id: string | null | undefined): Promise<number | null> {
  try {
    return await projectOfRequest(context, id, 'project');
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    const { message, userErrors } = error;
    const code = userErrors[0]?.code;
    if (code === 'PROJECT_REQUIRED') throw clientError('PROJECT_REQUIRED', message);
    if (code === 'PROJECT_NOT_FOUND') throw clientError('PROJECT_NOT_FOUND', message);
    throw clientError('INVALID_ID', message);
  }
}

builder.queryField('availability', (t) =>
  t.field({
    type: Availability,
    description: 'When such machines are first available, and the intervals in [from, to) in which they could start.',
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
    resolve: async (_root, { machines, duration, from, project, to }, context) => {
      const { principal, services, signal } = context;
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
          machines: machines.flatMap(({ count, capacity }) => new Array<Amounts>(count).fill(amountsOf(capacity))),
          duration,
          preemptible: false,
          project: await projectOf(context, project),
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
