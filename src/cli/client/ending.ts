import { formatTable } from '../table.ts';
import type { EndingRowFragment } from './generated/operations.ts';
import { showInstant } from './show.ts';

/** What would follow from an end that was not refused. */
export function endingText({ ends, isComplete, sooner }: EndingRowFragment, width: number): string {
  const numbers = ends.map(({ number }) => number).join(', ');
  const table = formatTable(
    [
      { title: 'SOONER', align: 'right' },
      { title: 'NAME', drop: 2 },
      { title: 'STATE', drop: 3 },
      { title: 'PLANNED (UTC)', drop: 1 },
      { title: 'WOULD START (UTC)' },
    ],
    sooner.map(({ lease, plannedStart, start }) => [
      String(lease.number),
      lease.name ?? '',
      lease.state,
      plannedStart === null ? 'no plan' : showInstant(plannedStart),
      showInstant(start),
    ]),
    width,
  );
  return [
    'would be accepted\n',
    numbers === '' ? '' : `ends  ${numbers}\n`,
    sooner.length === 0 ? 'No other lease would start earlier.\n' : `\n${table}`,
    isComplete ? '' : 'Only the first waiting leases were tried. More may start earlier.\n',
  ].join('');
}
