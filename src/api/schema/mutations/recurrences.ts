/** Mutations of recurrences. */
import type { Amounts, RecurrenceRequest } from '../../../core/index.ts';
import type { CommandResult } from '../../../engine/ports.ts';
import { hasRole, mayChange } from '../../../identity/index.ts';
import { amountsOf } from '../../amounts.ts';
import type { ApiContext } from '../../context.ts';
import { maxListed } from '../../limits.ts';
import { builder } from '../builder.ts';
import { DiskImageInput, MachineSetInput, machinesOfInput } from '../machine-inputs.ts';
import { displacedField, visibleLeases } from '../planned-displacement.ts';
import { type Ending, endingField } from '../planned-ending.ts';
import { StateReasonType } from '../reason.ts';
import { RecurrenceCollisionsEnum, SkippedOccurrence } from '../recurrence.ts';
import { Lease, Recurrence } from '../refs.ts';
import { projectOfRequest } from './ownership.ts';
import { numberAt, payload, payloadType, plannedDryRun, Refused, refuse } from './payload.ts';
import { durationErrors, machineErrors, textErrors } from './request-errors.ts';

const CreateRecurrenceInput = builder.inputType('CreateRecurrenceInput', {
  description: 'The terms of an advance reservation that recurs.',
  fields: (t) => ({
    name: t.string({ description: 'A name for people, which its leases get.' }),
    machines: t.field({ type: [MachineSetInput], required: true, description: 'The machines.' }),
    duration: t.field({
      type: 'Duration',
      required: true,
      description: 'The running time of each occurrence.',
    }),
    rule: t.string({
      required: true,
      description:
        'An RRULE (RFC 5545) with FREQ=DAILY, WEEKLY, MONTHLY or YEARLY, and INTERVAL, COUNT, UNTIL, BYDAY, BYMONTHDAY, BYMONTH, BYSETPOS or WKST.',
    }),
    timeZone: t.string({
      required: true,
      description: 'A name of the IANA time zone database, such as Europe/Berlin.',
    }),
    firstStart: t.string({
      required: true,
      description:
        'The start of the first occurrence on the wall clock of the time zone, without an offset, such as 2030-01-31T08:00. Its day must be one of the rule.',
    }),
    collisions: t.field({
      type: RecurrenceCollisionsEnum,
      defaultValue: 'ALL_OR_NOTHING',
      description: 'What is done when occurrences are not available.',
    }),
    project: t.id({
      description: 'The project of its leases. Default: the only project of the principal.',
    }),
    diskImage: t.field({ type: DiskImageInput, description: 'The disk image from which machines start.' }),
    preemptible: t.boolean({
      description: 'Whether occurrences may be suspended in favour of leases that take precedence.',
    }),
    idempotencyKey: t.string({
      description:
        'Repeating a request with its key returns the same recurrence, and `skipped` and `displaced` are empty; the key with another input is an error.',
    }),
    dryRun: t.boolean({
      description: 'Creates nothing: the recurrence of the payload is null, and `plan` says what would happen.',
    }),
  }),
});

type Rehearsed = CommandResult<'rehearseRecurrence'>;

const PlannedOccurrence = builder.objectRef<Rehearsed['occurrences'][number]>('PlannedOccurrence').implement({
  description: 'What would happen to an occurrence.',
  fields: (t) => ({
    occurrence: t.exposeInt('index', { description: 'Its place in the recurrence, from 1.' }),
    start: t.expose('start', { type: 'DateTime', description: 'When it would start.' }),
    end: t.expose('end', { type: 'DateTime', description: 'When it would end.' }),
    reason: t.field({
      type: StateReasonType,
      nullable: true,
      description: 'Why it is not available. Null if it is.',
      resolve: ({ reason }) => reason,
    }),
    firstPossibleStart: t.expose('firstPossibleStart', {
      type: 'DateTime',
      nullable: true,
      description:
        'If it is not available: the first later start at which its machines would be available. Looked for in the first ten such occurrences.',
    }),
  }),
});

const PlannedRecurrence = builder.objectRef<Rehearsed>('PlannedRecurrence').implement({
  description: 'What would happen to a new recurrence, or to one that is updated.',
  fields: (t) => ({
    accepted: t.exposeBoolean('accepted', { description: 'Whether it would be accepted.' }),
    occurrences: t.field({
      type: [PlannedOccurrence],
      description: `The occurrences that would become leases now, in order, at most ${maxListed}. Of an update: those that are leases and would change; if it would be refused, the first that is not available.`,
      extensions: { listSize: maxListed },
      resolve: ({ occurrences }) => occurrences.slice(0, maxListed),
    }),
    displaces: t.field({
      type: [Lease],
      description: `Leases that would be moved, suspended or requeued for it, as far as the principal may see them; at most ${maxListed}.`,
      extensions: { listSize: maxListed },
      resolve: ({ displaces }, _args, { read }) => visibleLeases(displaces, read),
    }),
  }),
});

type Created = Rehearsed | (Omit<CommandResult<'createRecurrence'>, 'recurrence'> & { readonly number: number });

const CreateRecurrencePayload = payloadType<Created>(
  'CreateRecurrencePayload',
  'The recurrence, or why it was not created.',
  (t) => ({
    recurrence: t.field({
      type: Recurrence,
      nullable: true,
      description: 'The recurrence as it was committed. Null if there are errors.',
      resolve: ({ result }, _args, { read }) =>
        result !== null && 'number' in result ? read.recurrence(result.number) : null,
    }),
    skipped: t.field({
      type: [SkippedOccurrence],
      description: `The occurrences that were skipped, and why; at most ${maxListed}.`,
      extensions: { listSize: maxListed },
      resolve: ({ result }) => (result !== null && 'number' in result ? result.skipped.slice(0, maxListed) : []),
    }),
    displaced: t.field({
      ...displacedField,
      type: [Lease],
      resolve: ({ result }, _args, { read }) =>
        visibleLeases(result !== null && 'number' in result ? result.displaced : [], read),
    }),
    plan: t.field({
      type: PlannedRecurrence,
      nullable: true,
      description: 'What would happen. Null unless `dryRun` is set.',
      resolve: ({ result }) => (result !== null && !('number' in result) ? result : null),
    }),
  }),
);

const UpdateRecurrenceInput = builder.inputType('UpdateRecurrenceInput', {
  description:
    'New terms of occurrences that have not started, from one on. What is not given stays as it is. All or none change.',
  fields: (t) => ({
    id: t.id({ required: true, description: 'The global id of the recurrence.' }),
    from: t.int({
      description: 'The first occurrence to change. Default: the first that has not started.',
    }),
    name: t.string({ description: 'The name of leases that are still to be created.' }),
    start: t.string({
      description:
        'The new start of that occurrence on the wall clock, such as 2030-01-31T09:00. Those after it move by as much.',
    }),
    duration: t.field({ type: 'Duration', description: 'The new running time.' }),
    dryRun: t.boolean({ description: plannedDryRun('recurrence') }),
  }),
});

interface Changed {
  readonly number: number;
  readonly displaced: readonly number[];
}

const UpdateRecurrencePayload = payloadType<Changed | Rehearsed>(
  'UpdateRecurrencePayload',
  'The updated recurrence, or why it was not updated.',
  (t) => ({
    recurrence: t.field({
      type: Recurrence,
      nullable: true,
      description: 'The recurrence as it was committed. Null if there are errors.',
      resolve: ({ result }, _args, { read }) =>
        result !== null && 'number' in result ? read.recurrence(result.number) : null,
    }),
    displaced: t.field({
      ...displacedField,
      type: [Lease],
      resolve: ({ result }, _args, { read }) =>
        visibleLeases(result !== null && 'number' in result ? result.displaced : [], read),
    }),
    plan: t.field({
      type: PlannedRecurrence,
      nullable: true,
      description: 'What would happen. Null unless `dryRun` is set.',
      resolve: ({ result }) => (result !== null && !('number' in result) ? result : null),
    }),
  }),
);

const CancelRecurrenceInput = builder.inputType('CancelRecurrenceInput', {
  description: 'The recurrence to cancel.',
  fields: (t) => ({
    id: t.id({ required: true, description: 'Its global id.' }),
    from: t.int({
      description: 'The first occurrence to cancel. Default: the first that has not started.',
    }),
    dryRun: t.boolean({ description: plannedDryRun('recurrence') }),
  }),
});

/** The number of the recurrence; of a dry run, its plan. */
type Cancelled = number | Ending;

const CancelRecurrencePayload = payloadType<Cancelled>(
  'CancelRecurrencePayload',
  'The cancelled recurrence, or why it was not cancelled.',
  (t) => ({
    recurrence: t.field({
      type: Recurrence,
      nullable: true,
      description: 'The recurrence as it was committed. Null if there are errors, and with `dryRun`.',
      resolve: ({ result }, _args, { read }) => (typeof result === 'number' ? read.recurrence(result) : null),
    }),
    plan: t.field({
      ...endingField,
      resolve: ({ result }) => (typeof result === 'number' ? null : result),
    }),
  }),
);

async function requestOf(
  context: ApiContext,
  input: typeof CreateRecurrenceInput.$inferInput,
): Promise<RecurrenceRequest> {
  const { principal, services } = context;
  const { collisions, diskImage, duration, firstStart, machines, name, preemptible, rule, timeZone } = input;
  const errors = [
    ...textErrors(name, 'input', 'name'),
    ...textErrors(input.idempotencyKey, 'input', 'idempotencyKey'),
    ...machineErrors(machines, services.site.resourceTypes, 'input', 'machines'),
    ...durationErrors(duration, 'input', 'duration'),
    ...textErrors(rule, 'input', 'rule'),
    ...textErrors(timeZone, 'input', 'timeZone'),
    ...textErrors(firstStart, 'input', 'firstStart'),
    ...textErrors(diskImage?.name, 'input', 'diskImage', 'name'),
  ];
  if (errors.length > 0) throw new Refused(errors);
  return {
    name: name ?? null,
    machines: machines.flatMap(({ count, capacity }) => new Array<Amounts>(count).fill(amountsOf(capacity))),
    ...{ duration, rule, timeZone, firstStart },
    preemptible: preemptible ?? false,
    image: diskImage ?? null,
    owner: principal.name,
    project: await projectOfRequest(context, input.project, 'input', 'project'),
    collisions: collisions ?? 'ALL_OR_NOTHING',
  };
}

/** The number of a recurrence that the principal may change. Throws Refused. */
async function changeable({ principal, read }: ApiContext, id: string): Promise<number> {
  const number = numberAt('Recurrence', id, 'input', 'id');
  const recurrence = await read.recurrence(number);
  if (recurrence === undefined && !hasRole(principal, 'OPERATOR')) {
    return refuse('RECURRENCE_NOT_FOUND', `Recurrence ${number} does not exist.`, 'input', 'id');
  }
  if (recurrence && !mayChange(principal, { owner: recurrence.owner, project: recurrence.projectNumber })) {
    refuse('FORBIDDEN', `Recurrence ${number} belongs to another project.`, 'input', 'id');
  }
  return number;
}

builder.mutationFields((t) => ({
  createRecurrence: t.field({
    type: CreateRecurrencePayload,
    description:
      'Creates an advance reservation that recurs. Its occurrences become leases up to a horizon ahead; those within it are decided at once.',
    extensions: machinesOfInput,
    args: { input: t.arg({ type: CreateRecurrenceInput, required: true, description: 'The terms.' }) },
    resolve: (_root, { input }, context) =>
      payload<Created>(context, async () => {
        const { principal, services } = context;
        const request = await requestOf(context, input);
        if (input.dryRun) return services.leases.submit('rehearseRecurrence', request, { principal });
        const { recurrence: number, ...rest } = await services.leases.submit('createRecurrence', request, {
          principal,
          idempotencyKey: input.idempotencyKey ?? null,
        });
        return { number, ...rest };
      }),
  }),
  updateRecurrence: t.field({
    type: UpdateRecurrencePayload,
    description: 'Changes the occurrences of a recurrence that have not started, from one on.',
    args: { input: t.arg({ type: UpdateRecurrenceInput, required: true, description: 'The new terms.' }) },
    resolve: (_root, { input }, context) =>
      payload<Changed | Rehearsed>(
        context,
        async () => {
          const { principal, services } = context;
          const { duration, from, name, start } = input;
          const errors = [
            ...textErrors(name, 'input', 'name'),
            ...textErrors(start, 'input', 'start'),
            ...(typeof duration === 'number' ? durationErrors(duration, 'input', 'duration') : []),
          ];
          if (errors.length > 0) throw new Refused(errors);
          if (name === undefined && typeof start !== 'string' && typeof duration !== 'number') {
            return refuse(
              'INVALID_REQUEST',
              'The update changes nothing. Give a name, a start or a duration.',
              'input',
            );
          }
          const number = await changeable(context, input.id);
          const update = {
            recurrence: number,
            from: from ?? null,
            name,
            start: start ?? undefined,
            duration: duration ?? undefined,
          };
          if (input.dryRun) return services.leases.submit('rehearseRecurrenceUpdate', update, { principal });
          const { displaced } = await services.leases.submit('updateRecurrence', update, { principal });
          return { number, displaced };
        },
        'input',
        'id',
      ),
  }),
  cancelRecurrence: t.field({
    type: CancelRecurrencePayload,
    description: 'Cancels the occurrences of a recurrence that have not started, from one on.',
    args: { input: t.arg({ type: CancelRecurrenceInput, required: true, description: 'The recurrence.' }) },
    resolve: (_root, { input }, context) =>
      payload<Cancelled>(
        context,
        async () => {
          const { principal, services } = context;
          const number = await changeable(context, input.id);
          const cancelled = { recurrence: number, from: input.from ?? null };
          if (input.dryRun) return services.leases.submit('rehearseCancelRecurrence', cancelled, { principal });
          await services.leases.submit('cancelRecurrence', cancelled, { principal });
          return number;
        },
        'input',
        'id',
      ),
  }),
}));
