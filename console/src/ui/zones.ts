/** Date and time as inputs of type datetime-local hold them, in a given time zone. */

function parts(instant: number, timeZone: string): Readonly<Record<string, string>> {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
  });
  return Object.fromEntries(format.formatToParts(instant).map(({ type, value }) => [type, value]));
}

/** `2026-12-01T14:30`; empty for null. */
export function toLocalInput(instant: string | number | null, timeZone: string): string {
  if (instant === null) return '';
  const { year, month, day, hour, minute } = parts(new Date(instant).getTime(), timeZone);
  return `${year}-${month}-${day}T${hour}:${minute}`;
}

/**
 * The instant in ISO 8601; null if the text is not a date and time. A local time that a clock change skips or repeats
 * gives a neighbouring instant or the first one.
 */
export function fromLocalInput(text: string, timeZone: string): string | null {
  const wanted = Date.parse(`${text}Z`);
  if (text === '' || Number.isNaN(wanted)) return null;
  let instant = wanted;
  // The offset at the first guess may differ from the one at the instant.
  for (let round = 0; round < 2; round += 1) {
    instant += wanted - Date.parse(`${toLocalInput(instant, timeZone)}Z`);
  }
  return new Date(instant).toISOString();
}
