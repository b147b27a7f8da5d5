import { type DiskImage, type Instant, LAST_INSTANT, type LeaseType, type Millis } from '../../../core/index.ts';
import type { ResourceAmount } from '../../amounts.ts';
import type { SiteFacts } from '../../context.ts';
import { shown } from '../../errors.ts';
import { maxMachines, maxTextLength } from '../../limits.ts';
import { printDuration, printInstant } from '../../values.ts';
import { type UserError, userError } from './user-error.ts';

/** Amounts of all machines of a lease together. */
const maxAmounts = 100_000;
const maxAmountsPerMachine = 1_000;
const maxDuration: Millis = 3_650 * 24 * 3_600_000;
/** Maximum number of returned errors, since a request may have thousands of machines. */
const maxErrors = 50;

/** RequestLeaseInput. */
export interface RequestInput {
  readonly type: LeaseType | 'UNKNOWN';
  readonly name?: string | null | undefined;
  readonly machines: readonly MachineSet[];
  readonly duration: Millis;
  readonly start?: Instant | null | undefined;
  readonly deadline?: Instant | null | undefined;
  readonly preemptible?: boolean | null | undefined;
  readonly diskImage?: DiskImage | null | undefined;
  readonly idempotencyKey?: string | null | undefined;
  readonly knownDuration?: Millis | null | undefined;
  readonly endNotice?: Millis | null | undefined;
}

export interface MachineSet {
  readonly count: number;
  readonly capacity: readonly ResourceAmount[];
}

/** Validation errors of a request, independent of the site's plans; empty if valid. */
export function requestErrors(input: RequestInput, now: Instant, site: SiteFacts): UserError[] {
  return allErrors(input, now, site).slice(0, maxErrors);
}

function allErrors(input: RequestInput, now: Instant, site: SiteFacts): UserError[] {
  if (input.type === 'UNKNOWN')
    return [invalid('No lease is of the type UNKNOWN. Give another type.', 'input', 'type')];
  return [
    ...textErrors(input.name, 'input', 'name'),
    ...textErrors(input.idempotencyKey, 'input', 'idempotencyKey'),
    ...textErrors(input.diskImage?.name, 'input', 'diskImage', 'name'),
    ...machineErrors(input.machines, site.resourceTypes, 'input', 'machines'),
    ...durationErrors(input.duration, 'input', 'duration'),
    ...endNoticeErrors(input.endNotice),
    ...startErrors(input, now),
    ...knownDurationErrors(input, site),
  ];
}

function invalid(message: string, ...path: readonly string[]): UserError {
  return userError('INVALID_REQUEST', message, ...path);
}

/**
 * Characters that nobody sees and that make names look alike or change the direction of text, and separators of lines.
 * Joiners and variation selectors are part of some scripts and of emoji.
 */
const invisiblePattern = /(?!\p{Join_Control}|\p{Variation_Selector})[\p{DI}\p{Zl}\p{Zp}]/u;

export function textErrors(text: string | null | undefined, ...path: readonly string[]): UserError[] {
  if (text === null || text === undefined) return [];
  if (text.replace(/\p{Join_Control}|\p{Variation_Selector}/gu, '').trim() === '')
    return [invalid('The text is empty. Omit it, or enter a text.', ...path)];
  if (text.length > maxTextLength) {
    return [invalid(`The text has ${text.length} characters; the maximum is ${maxTextLength}.`, ...path)];
  }
  if (/\p{Cc}/u.test(text)) return [invalid('The text has control characters. Remove them.', ...path)];
  const invisible = invisiblePattern.exec(text)?.[0].codePointAt(0);
  if (invisible !== undefined) {
    const name = `U+${invisible.toString(16).toUpperCase().padStart(4, '0')}`;
    return [invalid(`The text has a character that cannot be seen, ${name}. Remove it.`, ...path)];
  }
  // A database would replace them and make different keys equal.
  if (/\p{Surrogate}/u.test(text)) return [invalid('The text has unpaired surrogates. Remove them.', ...path)];
  return [];
}

export function machineErrors(
  sets: readonly MachineSet[],
  types: readonly string[],
  ...path: readonly string[]
): UserError[] {
  if (sets.length === 0) return [invalid('At least one machine is required.', ...path)];
  const errors = sets.flatMap((set, index) => setErrors(set, types, [...path, String(index)]));
  const total = sets.reduce((sum, { count }) => sum + Math.max(0, count), 0);
  if (total > maxMachines) {
    errors.push(invalid(`The request has ${total} machines; the maximum per lease is ${maxMachines}.`, ...path));
  }
  const amounts = sets.reduce((sum, { count, capacity }) => sum + Math.max(0, count) * capacity.length, 0);
  if (total <= maxMachines && amounts > maxAmounts) {
    errors.push(invalid(`The machines have ${amounts} amounts in total; the maximum is ${maxAmounts}.`, ...path));
  }
  return errors;
}

function setErrors({ count, capacity }: MachineSet, types: readonly string[], path: readonly string[]): UserError[] {
  const errors: UserError[] = [];
  if (count < 1) errors.push(invalid(`The count is ${count}; the minimum is 1.`, ...path, 'count'));
  return [...errors, ...amountErrors(capacity, types, 'machine', [...path, 'capacity'])];
}

/** Of the capacity of a node. */
export function capacityErrors(
  capacity: readonly ResourceAmount[],
  types: readonly string[],
  ...path: readonly string[]
): UserError[] {
  return amountErrors(capacity, types, 'node', path);
}

function amountErrors(
  capacity: readonly ResourceAmount[],
  types: readonly string[],
  what: 'machine' | 'node',
  path: readonly string[],
): UserError[] {
  const errors: UserError[] = [];
  capacity.forEach(({ type }, entry) => {
    if (types.includes(type)) return;
    const message = `The site has no resource ${shown(type)}. Its resources are ${types.join(', ')}.`;
    errors.push(invalid(message, ...path, String(entry), 'type'));
  });
  if (capacity.every(({ amount }) => amount === 0)) {
    const verb = what === 'machine' ? 'request' : 'have';
    errors.push(invalid(`Each ${what} must ${verb} at least one resource.`, ...path));
  }
  if (capacity.length > maxAmountsPerMachine) {
    const message = `The ${what} has ${capacity.length} amounts; the maximum is ${maxAmountsPerMachine}.`;
    errors.push(invalid(message, ...path));
  }
  return errors;
}

export function durationErrors(duration: Millis, ...path: readonly string[]): UserError[] {
  if (duration === 0) return [invalid('The duration must be longer than 0.', ...path)];
  if (duration > maxDuration) {
    return [
      invalid(`The duration is ${printDuration(duration)}; the maximum is ${printDuration(maxDuration)}.`, ...path),
    ];
  }
  return [];
}

/** 0 means no notice. */
export function endNoticeErrors(endNotice: Millis | null | undefined): UserError[] {
  return typeof endNotice === 'number' && endNotice > 0 ? durationErrors(endNotice, 'input', 'endNotice') : [];
}

function startErrors(input: RequestInput, now: Instant): UserError[] {
  const { type, start, deadline } = input;
  const errors: UserError[] = [];
  if (typeof deadline === 'number' && type !== 'DEADLINE') {
    errors.push(invalid(`Only a DEADLINE lease has a deadline; this one is ${type}.`, 'input', 'deadline'));
  }
  if (type === 'DEADLINE') return [...errors, ...deadlineErrors(input, now)];
  if (type === 'ADVANCE_RESERVATION') return [...errors, ...fixedStartErrors(input, now)];
  if (typeof start === 'number') {
    errors.push(
      invalid(`Only ADVANCE_RESERVATION and DEADLINE leases have a start; this one is ${type}.`, 'input', 'start'),
    );
  }
  return errors;
}

function fixedStartErrors({ start, duration }: RequestInput, now: Instant): UserError[] {
  if (typeof start !== 'number') {
    return [invalid('An ADVANCE_RESERVATION lease requires a start.', 'input', 'start')];
  }
  if (start < now) {
    return [
      userError(
        'START_IN_PAST',
        `The start ${printInstant(start)} is in the past: the scheduler's clock shows ${printInstant(now)}.`,
        'input',
        'start',
      ),
    ];
  }
  if (start + duration > LAST_INSTANT) {
    return [invalid('The lease would end after the year 9999.', 'input', 'start')];
  }
  return [];
}

/** The start of a DEADLINE lease is its earliest start; one in the past means now. */
function deadlineErrors({ start, deadline, duration }: RequestInput, now: Instant): UserError[] {
  if (typeof deadline !== 'number') {
    return [invalid('A DEADLINE lease requires a deadline.', 'input', 'deadline')];
  }
  const earliest = Math.max(start ?? now, now);
  if (deadline - earliest >= duration) return [];
  return [
    userError(
      'DEADLINE_CANNOT_BE_MET',
      `The machines cannot run for ${printDuration(duration)} between ${printInstant(earliest)} and the deadline ${printInstant(deadline)}.`,
      'input',
      'deadline',
    ),
  ];
}

function knownDurationErrors({ knownDuration }: RequestInput, site: SiteFacts): UserError[] {
  if (typeof knownDuration !== 'number') return [];
  if (!site.acceptsKnownDurations) {
    return [
      userError(
        'SIMULATION_ONLY',
        'This server does not simulate, so it cannot use a known running time. Omit it.',
        'input',
        'knownDuration',
      ),
    ];
  }
  return durationErrors(knownDuration, 'input', 'knownDuration');
}
