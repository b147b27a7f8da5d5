import type { Amounts, DiskImage as DiskImageFacts, RecurrenceRecord } from '../../core/index.ts';
import type { CommandResult } from '../../engine/ports.ts';
import { badInput } from '../errors.ts';
import { type Entries, maxListed, maxPageSize } from '../limits.ts';
import { builder } from './builder.ts';
import { DiskImage, LeaseMachine } from './lease.ts';
import { StateReasonType } from './reason.ts';
import { Lease, LeaseConnection, Project, Recurrence, RecurrenceConnection } from './refs.ts';
import { User } from './user.ts';

export const RecurrenceCollisionsEnum = builder.enumType('RecurrenceCollisions', {
  description: 'What is done when occurrences of a new recurrence are not available.',
  values: {
    ALL_OR_NOTHING: { description: 'The recurrence is refused, and the first of them is named.' },
    SKIP: { description: 'The others are created. Refused when none is available.' },
  } as const,
});

const RecurrenceStateEnum = builder.enumType('RecurrenceState', {
  description: 'Whether occurrences are to come.',
  values: {
    ACTIVE: { description: 'Occurrences are to come, or the last one runs.' },
    CANCELLED: { description: 'It was cancelled, and no occurrence is created any more.' },
    ENDED: { description: 'All its occurrences have ended.' },
  } as const,
});

type Skipped = RecurrenceRecord['skipped'][number];

export const SkippedOccurrence = builder.objectRef<Skipped>('SkippedOccurrence').implement({
  description: 'An occurrence that was not created, because it was not available.',
  fields: (t) => ({
    occurrence: t.exposeInt('index', { description: 'Its place in the recurrence, from 1.' }),
    start: t.expose('start', { type: 'DateTime', description: 'When it would have started.' }),
    reason: t.field({
      type: StateReasonType,
      description: 'Why it was not available.',
      resolve: ({ reason }) => reason,
    }),
  }),
});

type Upcoming = CommandResult<'upcomingOccurrences'>[number];

const UpcomingOccurrence = builder.objectRef<Upcoming>('UpcomingOccurrence').implement({
  description: 'An occurrence that has not started.',
  fields: (t) => ({
    occurrence: t.exposeInt('index', { description: 'Its place in the recurrence, from 1.' }),
    start: t.expose('start', { type: 'DateTime', description: 'When it starts.' }),
    end: t.expose('end', { type: 'DateTime', description: 'When it ends.' }),
    lease: t.field({
      type: Lease,
      nullable: true,
      description: 'Its lease. Null while its start is too far ahead.',
      resolve: ({ leaseNumber }, _args, { read }) => (leaseNumber === null ? null : read.lease(leaseNumber)),
    }),
  }),
});

function latestTerms({ terms }: { readonly terms: unknown }): RecurrenceRecord['terms'][number] {
  return (terms as RecurrenceRecord['terms']).at(-1) as RecurrenceRecord['terms'][number];
}

const defaultUpcoming = 10;

builder.objectFields(Recurrence, (t) => ({
  number: t.exposeInt('number', {
    description: 'Counts up from 1 within the site; the name that people use for the recurrence.',
  }),
  name: t.exposeString('name', { nullable: true, description: 'The name of its future leases.' }),
  state: t.field({
    type: RecurrenceStateEnum,
    description: 'Whether occurrences are to come.',
    resolve: ({ cancelledAt, isOpen, nextIndex }) => {
      if (cancelledAt !== null && nextIndex === null) return 'CANCELLED';
      return isOpen ? 'ACTIVE' : 'ENDED';
    },
  }),
  rule: t.exposeString('rule', { description: 'Its RRULE (RFC 5545).' }),
  timeZone: t.exposeString('timeZone', { description: 'A name of the IANA time zone database.' }),
  firstStart: t.exposeString('firstStart', {
    description: 'The start of the first occurrence on the wall clock of the time zone, as requested.',
  }),
  duration: t.field({
    type: 'Duration',
    description: 'The running time of its occurrences, as last updated.',
    resolve: (recurrence) => latestTerms(recurrence).duration,
  }),
  machines: t.field({
    type: [LeaseMachine],
    description: 'The machines of each occurrence, machine 1 first.',
    extensions: { entries: 'machines' satisfies Entries },
    resolve: ({ machines }, _args, { read }) => {
      const all = machines as Amounts[];
      read.budget.take(all.length);
      return all.map((amounts, at) => ({ leaseNumber: 0, index: at + 1, amounts, nodeNumber: null }));
    },
  }),
  diskImage: t.field({
    type: DiskImage,
    nullable: true,
    description: 'The disk image from which its machines start.',
    resolve: ({ image }) => image as DiskImageFacts | null,
  }),
  preemptible: t.exposeBoolean('preemptible', {
    description: 'Whether its occurrences may be suspended in favour of leases that take precedence.',
  }),
  collisions: t.field({
    type: RecurrenceCollisionsEnum,
    description: 'What was done when occurrences were not available at its creation.',
    resolve: ({ collisions }) => collisions,
  }),
  owner: t.field({
    type: User,
    nullable: true,
    description: 'The principal that created it.',
    resolve: ({ owner }, _args, { read }) => (owner === null ? null : read.owner(owner)),
  }),
  project: t.field({
    type: Project,
    nullable: true,
    description: 'Its project. Null when it has none, or when the principal is not a member.',
    resolve: ({ projectNumber }, _args, { read }) => (projectNumber === null ? null : read.project(projectNumber)),
  }),
  createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was created.' }),
  cancelledAt: t.expose('cancelledAt', {
    type: 'DateTime',
    nullable: true,
    description: 'When it was cancelled, from some occurrence on. Null when it was not.',
  }),
  skipped: t.field({
    type: [SkippedOccurrence],
    description: `Occurrences that were skipped at its creation; at most ${maxListed}.`,
    extensions: { listSize: maxListed },
    resolve: ({ skipped }) => (skipped as unknown as Skipped[]).slice(0, maxListed),
  }),
  upcoming: t.field({
    type: [UpcomingOccurrence],
    description: 'The next occurrences that have not started, with and without a lease.',
    args: {
      first: t.arg.int({
        defaultValue: defaultUpcoming,
        description: `The number of occurrences: 0 to ${maxPageSize}.`,
      }),
    },
    extensions: {
      listSize: ({ first }: { readonly first?: number | null }) => first ?? defaultUpcoming,
    },
    resolve: async ({ number }, { first }, { principal, services }) => {
      const limit = first ?? defaultUpcoming;
      if (limit < 0 || limit > maxPageSize) {
        throw badInput(`\`first\` is ${limit}; it must be a number from 0 to ${maxPageSize}.`);
      }
      const input = { recurrence: number, limit };
      return [...(await services.leases.submit('upcomingOccurrences', input, { principal }))];
    },
  }),
  leases: t.connection(
    {
      type: Lease,
      description: 'The leases of its occurrences, ordered by number.',
      resolve: ({ number }, page, { read }) => read.leasesOfGroup('recurrenceNumber', number, {}, page),
    },
    LeaseConnection,
  ),
}));

builder.queryField('recurrence', (t) =>
  t.field({
    type: Recurrence,
    nullable: true,
    description: 'A recurrence by its number. Null when there is none.',
    args: { number: t.arg.int({ required: true, description: 'Its number.' }) },
    resolve: (_root, { number }, { read }) => read.recurrence(number),
  }),
);

builder.queryField('recurrences', (t) =>
  t.connection(
    {
      type: Recurrence,
      nullable: true,
      description: 'Recurrences, ordered by number.',
      args: {
        live: t.arg.boolean({
          description: 'true: only those with occurrences that are to come or run. false: only the others.',
        }),
      },
      resolve: (_root, { live, ...page }, { read }) => read.recurrences({ live }, page),
    },
    RecurrenceConnection,
  ),
);
