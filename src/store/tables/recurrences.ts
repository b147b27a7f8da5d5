/** The table of recurrences. */
import * as z from 'zod';
import type { RecurrenceRecord, SkippedOccurrence } from '../../core/index.ts';
import { RecurrenceCollisions } from '../prisma/enums.ts';
import { boolean, type Field, instant, int, json, oneOf, optional, Table, text } from '../table.ts';
import { amounts, image, reasonData } from './shapes.ts';

const stateReason = z.object({
  code: z.string(),
  message: z.string(),
  data: reasonData.exactOptional(),
});

const skippedOccurrence: z.ZodType<SkippedOccurrence> = z.object({
  index: z.int(),
  start: z.int(),
  reason: stateReason,
});

const next: Field<RecurrenceRecord['next'], RecurrenceRecord> = {
  columns: [
    { name: 'next_index', type: 'int', shape: z.int().nullable() },
    { name: 'next_day', type: 'text', shape: z.string().nullable() },
    { name: 'next_start', type: 'instant', shape: z.int().nullable() },
  ],
  write: (value, row) => {
    row.next_index = value?.index ?? null;
    row.next_day = value?.day ?? null;
    row.next_start = value?.start ?? null;
  },
  read: ({ next_index: index, next_day: day, next_start: start }) =>
    index === null ? null : { index: Number(index), day: String(day), start: Number(start) },
};

export const recurrences = new Table<RecurrenceRecord>(
  'recurrences',
  ['number'],
  {
    id: int('number'),
    name: optional(text('name')),
    machines: json('machines', z.array(amounts).nonempty()),
    preemptible: boolean('preemptible'),
    image: json('image', image.nullable()),
    owner: optional(text('owner')),
    project: optional(int('project_number')),
    collisions: oneOf('collisions', 'RecurrenceCollisions', RecurrenceCollisions),
    rule: text('rule'),
    timeZone: text('time_zone'),
    firstStart: text('first_start'),
    createdAt: instant('created_at'),
    terms: json('terms', z.array(z.object({ from: z.int(), duration: z.int(), shift: z.int() })).nonempty()),
    next,
    lastIndex: optional(int('last_index')),
    skipped: json('skipped', z.array(skippedOccurrence)),
    cancelledAt: optional(instant('cancelled_at')),
  },
  ({ id }) => `Recurrence ${id}`,
);
