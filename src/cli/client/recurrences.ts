/** How recurrences are printed. */
import { formatTable } from '../table.ts';
import { plain } from '../text.ts';
import type {
  CreateRecurrenceMutation,
  RecurrenceByNumberQuery,
  RecurrenceRowFragment,
} from './generated/operations.ts';
import { showDuration, showInstant, showMachines } from './show.ts';

export function recurrenceTable(recurrences: readonly RecurrenceRowFragment[], width: number): string {
  return formatTable(
    [
      { title: 'RECURRENCE', align: 'right' },
      { title: 'NAME', drop: 2 },
      { title: 'STATE' },
      { title: 'NEXT (UTC)' },
      { title: 'DURATION', align: 'right', drop: 3 },
      { title: 'MACHINES', drop: 4 },
      { title: 'RULE', below: true },
    ],
    recurrences.map(({ number, name, state, upcoming, duration, machines, rule, firstStart, timeZone }) => [
      String(number),
      name ?? '',
      state,
      showInstant(upcoming[0]?.start ?? null),
      showDuration(duration),
      showMachines(machines),
      `${rule}, from ${firstStart} in ${timeZone}`,
    ]),
    width,
  );
}

type Details = NonNullable<RecurrenceByNumberQuery['recurrence']>;

export function recurrenceDetails(found: Details, width: number): string {
  const facts: (readonly [name: string, value: string | null])[] = [
    ['recurrence', `${found.number}${found.name === null ? '' : `, ${found.name}`}`],
    ['state', found.state],
    ['rule', found.rule],
    ['time zone', found.timeZone],
    ['first start', found.firstStart],
    ['duration', showDuration(found.duration)],
    ['machines', showMachines(found.machines)],
    ['owner', found.owner?.name ?? null],
    ['project', found.project?.name ?? null],
    ['cancelled', found.cancelledAt && showInstant(found.cancelledAt)],
  ];
  const head = facts.flatMap(([name, value]) => (value === null ? [] : [`${name.padEnd(11)}  ${plain(value)}`]));
  const planned = found.planned.map(({ occurrence, start, end, lease }) => [
    String(occurrence),
    showInstant(start),
    showInstant(end),
    lease === null ? '' : String(lease.number),
    lease?.state ?? '',
  ]);
  const upcoming =
    planned.length === 0
      ? 'No occurrence is to come.\n'
      : formatTable(
          [
            { title: 'OCCURRENCE', align: 'right' },
            { title: 'START (UTC)' },
            { title: 'END (UTC)', drop: 1 },
            { title: 'LEASE', align: 'right' },
            { title: 'STATE', drop: 2 },
          ],
          planned,
          width,
        );
  const skipped = found.skipped.length === 0 ? '' : `\nSkipped:\n${skippedTable(found.skipped, width)}`;
  return `${head.join('\n')}\n\n${upcoming}${skipped}`;
}

export function skippedTable(skipped: Details['skipped'], width: number): string {
  return formatTable(
    [{ title: 'OCCURRENCE', align: 'right' }, { title: 'START (UTC)' }, { title: 'REASON', below: true }],
    skipped.map(({ occurrence, start, reason }) => [
      String(occurrence),
      showInstant(start),
      `${reason.message} [${reason.code}]`,
    ]),
    width,
  );
}

type Plan = NonNullable<CreateRecurrenceMutation['createRecurrence']['plan']>;

export function recurrencePlan({ accepted, displaces, occurrences }: Plan, width: number): string {
  const table = formatTable(
    [
      { title: 'OCCURRENCE', align: 'right' },
      { title: 'START (UTC)' },
      { title: 'FITS' },
      { title: 'COULD START (UTC)', drop: 1 },
      { title: 'REASON', below: true },
    ],
    occurrences.map(({ occurrence, start, reason, firstPossibleStart }) => [
      String(occurrence),
      showInstant(start),
      reason === null ? 'yes' : 'no',
      showInstant(firstPossibleStart),
      reason === null ? '' : `${reason.message} [${reason.code}]`,
    ]),
    width,
  );
  const others = displaces.length === 0 ? '' : `Displaces: ${displaces.map(({ number }) => number).join(', ')}\n`;
  return `${accepted ? 'would be accepted' : 'would be refused'}\n\n${table}${others}`;
}
