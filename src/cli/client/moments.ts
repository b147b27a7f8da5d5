import { DateTime } from 'luxon';
import { CliError } from '../terminal.ts';
import type { Moment } from './arguments.ts';
import type { Client } from './client.ts';
import { SiteDocument } from './generated/operations.ts';

/** Turns moments into instants; those that count from now by the clock of the server. */
export async function resolveMoments(
  client: Client,
  moments: readonly (readonly [option: string, moment: Moment])[],
): Promise<string[]> {
  const isRelative = moments.some(([, moment]) => 'offset' in moment);
  const now = isRelative ? DateTime.fromISO((await client.request(SiteDocument, {})).serverTime) : null;
  return moments.map(([option, moment]) => {
    if ('at' in moment) return moment.at;
    const at = now?.plus(moment.offset).toUTC();
    const iso = at?.isValid && at.year >= 1970 && at.year <= 9999 ? at.toISO() : null;
    if (iso == null) throw new CliError(`${option}: is not between the years 1970 and 9999`, 2);
    return iso;
  });
}

export async function resolveMoment(client: Client, option: string, moment: Moment): Promise<string> {
  const [instant] = await resolveMoments(client, [[option, moment]]);
  return instant as string;
}
