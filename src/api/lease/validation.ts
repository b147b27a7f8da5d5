import { type DiskImage, type Instant, LAST_INSTANT, type LeaseType, type Millis } from '../../core/index.ts';
import type { ResourceAmount } from '../amounts.ts';
import { shown } from '../client-error.ts';
import type { SiteFacts } from '../context.ts';
import { printDuration, printInstant } from '../scalars.ts';
import { type UserError, userError } from '../user-error.ts';

export const mostMachines = 10_000;
/** Of all machines of a lease together. */
const mostAmounts = 100_000;
export const longestText = 200;
const longestDuration: Millis = 3_650 * 24 * 3_600_000;

/** RequestLeaseInput. */
export interface RequestInput {
  readonly type: LeaseType;
  readonly name?: string | null | undefined;
  readonly machines: readonly { readonly count: number; readonly capacity: readonly ResourceAmount[] }[];
  readonly duration: Millis;
  readonly start?: Instant | null | undefined;
  readonly deadline?: Instant | null | undefined;
  readonly preemptible?: boolean | null | undefined;
  readonly diskImage?: DiskImage | null | undefined;
  readonly idempotencyKey?: string | null | undefined;
  readonly knownDuration?: Millis | null | undefined;
}

/** As many as anybody reads: a request may name thousands of machines. */
const mostErrors = 50;

/** What is wrong with a request by itself, whatever the site's plans are. Empty when nothing is. */
export const requestErrors = (input: RequestInput, now: Instant, site: SiteFacts): UserError[] =>
  allErrors(input, now, site).slice(0, mostErrors);

function allErrors(input: RequestInput, now: Instant, site: SiteFacts): UserError[] {
  if (input.type === 'DEADLINE') {
    return [
      userError(
        'UNSUPPORTED_LEASE_TYPE',
        'This version does not schedule DEADLINE leases. Ask for BEST_EFFORT, ADVANCE_RESERVATION or IMMEDIATE.',
        'input',
        'type',
      ),
    ];
  }
  return [
    ...textErrors('name', input.name),
    ...textErrors('idempotencyKey', input.idempotencyKey),
    ...(input.diskImage ? textErrors('diskImage', input.diskImage.name, 'name') : []),
    ...machineErrors(input.machines, site.resourceTypes),
    ...durationErrors('duration', input.duration),
    ...startErrors(input, now),
    ...knownDurationErrors(input, site),
  ];
}

const invalid = (message: string, ...path: readonly string[]): UserError =>
  userError('INVALID_REQUEST', message, 'input', ...path);

function textErrors(field: string, text: string | null | undefined, ...path: readonly string[]): UserError[] {
  if (text === null || text === undefined) return [];
  if (text.trim() === '') return [invalid('It is empty. Leave it out, or say something.', field, ...path)];
  if (text.length > longestText) {
    return [invalid(`It has ${text.length} characters; at most ${longestText} are kept.`, field, ...path)];
  }
  if (/\p{Cc}/u.test(text)) return [invalid('It has control characters.', field, ...path)];
  // A database would keep others in their place, and so make two keys one.
  if (/\p{Surrogate}/u.test(text))
    return [invalid('It has halves of characters (surrogates).', field, ...path)];
  return [];
}

function machineErrors(sets: RequestInput['machines'], types: readonly string[]): UserError[] {
  if (sets.length === 0) return [invalid('At least one machine is needed.', 'machines')];
  const errors = sets.flatMap((set, index) => setErrors(set, String(index), types));
  const total = sets.reduce((sum, { count }) => sum + Math.max(0, count), 0);
  if (total > mostMachines) {
    errors.push(
      invalid(`${total} machines are asked for; one lease can have at most ${mostMachines}.`, 'machines'),
    );
  }
  const amounts = sets.reduce((sum, { count, capacity }) => sum + Math.max(0, count) * capacity.length, 0);
  if (total <= mostMachines && amounts > mostAmounts) {
    errors.push(
      invalid(
        `${amounts} amounts are given over all machines; at most ${mostAmounts} are taken.`,
        'machines',
      ),
    );
  }
  return errors;
}

function setErrors(
  { count, capacity }: RequestInput['machines'][number],
  index: string,
  types: readonly string[],
): UserError[] {
  const at = ['machines', index];
  const errors: UserError[] = [];
  if (count < 1)
    errors.push(invalid(`${count} machines are asked for; at least 1 is needed.`, ...at, 'count'));
  capacity.forEach(({ type }, entry) => {
    if (types.includes(type)) return;
    errors.push(
      invalid(
        `The site has no ${shown(type)}. It has ${types.join(', ')}.`,
        ...at,
        'capacity',
        String(entry),
        'type',
      ),
    );
  });
  if (capacity.every(({ amount }) => amount === 0)) {
    errors.push(invalid('A machine needs more than nothing of some resource.', ...at, 'capacity'));
  }
  if (capacity.length > 1_000) {
    errors.push(
      invalid(
        `${capacity.length} amounts are given for one machine; at most 1000 are taken.`,
        ...at,
        'capacity',
      ),
    );
  }
  return errors;
}

function durationErrors(field: string, duration: Millis): UserError[] {
  if (duration === 0) return [invalid('A duration of more than nothing is needed.', field)];
  if (duration > longestDuration) {
    return [
      invalid(
        `${printDuration(duration)} is longer than the longest duration, ${printDuration(longestDuration)}.`,
        field,
      ),
    ];
  }
  return [];
}

function startErrors({ type, start, deadline, duration }: RequestInput, now: Instant): UserError[] {
  const errors: UserError[] = [];
  if (typeof deadline === 'number') {
    errors.push(invalid(`A deadline is for DEADLINE leases; this one is ${type}.`, 'deadline'));
  }
  if (type !== 'ADVANCE_RESERVATION') {
    if (typeof start === 'number') {
      errors.push(invalid(`A start is for ADVANCE_RESERVATION leases; this one is ${type}.`, 'start'));
    }
  } else if (typeof start !== 'number') {
    errors.push(invalid('An ADVANCE_RESERVATION needs a start.', 'start'));
  } else if (start < now) {
    errors.push(
      userError(
        'START_IN_PAST',
        `${printInstant(start)} is in the past: it is ${printInstant(now)} on the scheduler's clock.`,
        'input',
        'start',
      ),
    );
  } else if (start + duration > LAST_INSTANT) {
    errors.push(invalid('It would end after the year 9999.', 'start'));
  }
  return errors;
}

function knownDurationErrors({ knownDuration }: RequestInput, site: SiteFacts): UserError[] {
  if (typeof knownDuration !== 'number') return [];
  if (!site.acceptsKnownDurations) {
    return [
      userError(
        'SIMULATION_ONLY',
        'This server does not simulate, so it cannot know how long machines will really run. Leave it out.',
        'input',
        'knownDuration',
      ),
    ];
  }
  return durationErrors('knownDuration', knownDuration);
}
