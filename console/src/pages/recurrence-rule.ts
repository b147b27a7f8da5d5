/** Recurrence rules (RFC 5545) in words. */

const units: Readonly<Record<string, string>> = {
  DAILY: 'day',
  WEEKLY: 'week',
  MONTHLY: 'month',
  YEARLY: 'year',
};
export const weekdays: readonly (readonly [string, string])[] = [
  ['MO', 'Mon'],
  ['TU', 'Tue'],
  ['WE', 'Wed'],
  ['TH', 'Thu'],
  ['FR', 'Fri'],
  ['SA', 'Sat'],
  ['SU', 'Sun'],
];

/** `every 2 weeks on Mon, Fri, 10 times`; rules with other parts as they are. */
export function describeRule(rule: string): string {
  const parts = new Map(
    rule
      .replace(/^RRULE:/i, '')
      .split(';')
      .map((part) => part.split('=', 2) as [string, string]),
  );
  const unit = units[parts.get('FREQ') ?? ''];
  const known = ['FREQ', 'INTERVAL', 'BYDAY', 'COUNT', 'UNTIL'];
  if (unit === undefined || [...parts.keys()].some((name) => !known.includes(name))) return rule;
  const interval = Number(parts.get('INTERVAL') ?? 1);
  const days = parts.get('BYDAY')?.split(',');
  const names = days?.map((day) => weekdays.find(([code]) => code === day)?.[1]);
  if (names?.includes(undefined)) return rule;
  const count = parts.get('COUNT');
  const until = parts.get('UNTIL');
  return [
    interval === 1 ? `every ${unit}` : `every ${interval} ${unit}s`,
    ...(names ? [`on ${names.join(', ')}`] : []),
    ...(count ? [count === '1' ? 'once' : `${count} times`] : []),
    ...(until ? [`until ${until.slice(0, 4)}-${until.slice(4, 6)}-${until.slice(6, 8)}`] : []),
  ]
    .join(', ')
    .replace(', on', ' on');
}

export interface RuleForm {
  readonly frequency: string;
  readonly interval: string;
  /** Of weekly rules; empty: the day of the first start. */
  readonly days: readonly string[];
  /** Number of occurrences; empty: no end. */
  readonly count: string;
}

export function ruleOf({ frequency, interval, days, count }: RuleForm): string {
  return [
    `FREQ=${frequency}`,
    ...(interval.trim() === '' || interval.trim() === '1' ? [] : [`INTERVAL=${interval.trim()}`]),
    ...(frequency === 'WEEKLY' && days.length > 0 ? [`BYDAY=${days.join(',')}`] : []),
    ...(count.trim() === '' ? [] : [`COUNT=${count.trim()}`]),
  ].join(';');
}
