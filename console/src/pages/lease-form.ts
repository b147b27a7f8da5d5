/** The content of the form for a new lease, and the equivalent GraphQL and command line. */
import type { ConsoleLeaseDetailQuery, LeaseType, RequestLeaseInput } from '../api/generated/operations.ts';
import { exactDuration, toIsoDuration } from '../ui/format.ts';
import { fromLocalInput } from '../ui/zones.ts';

/** As typed: numbers are still text. */
export interface LeaseForm {
  readonly type: LeaseType;
  readonly name: string;
  readonly count: string;
  readonly amounts: Readonly<Record<string, string>>;
  readonly duration: string;
  /** Date and time, as an input of type datetime-local gives it. */
  readonly start: string;
  /** Date and time, as `start`; DEADLINE only. */
  readonly deadline: string;
  readonly preemptible: boolean;
  /** A global id; empty: none. */
  readonly project: string;
  /** A duration; empty: the setting of the site. */
  readonly endNotice: string;
  readonly imageName: string;
  readonly imageSizeMb: string;
}

export function emptyForm(resourceTypes: readonly string[]): LeaseForm {
  const defaults: Readonly<Record<string, string>> = { CPU: '100', Memory: '1024' };
  return {
    type: 'BEST_EFFORT',
    name: '',
    count: '1',
    amounts: Object.fromEntries(resourceTypes.map((type) => [type, defaults[type] ?? ''])),
    duration: '1h',
    start: '',
    deadline: '',
    preemptible: true,
    project: '',
    endNotice: '',
    imageName: '',
    imageSizeMb: '',
  };
}

/** A field of the form; `amounts.CPU` is the amount of a resource. */
export type Field = Exclude<keyof LeaseForm, 'amounts'> | `amounts.${string}`;

/** The error of each field. The server checks the rest. */
export type FieldErrors = Readonly<Partial<Record<Field, string>>>;

/** The errors of a form, and its input if there are none. Times are in `timeZone`. */
export function readForm(
  form: LeaseForm,
  timeZone: string,
): { readonly errors: FieldErrors; readonly input: RequestLeaseInput | null } {
  const errors: Partial<Record<Field, string>> = {};
  const count = wholeNumber(form.count);
  if (count === null || count < 1) errors.count = 'Enter a whole number of at least 1.';
  const capacity: { type: string; amount: number }[] = [];
  for (const [type, text] of Object.entries(form.amounts)) {
    if (text.trim() === '') continue;
    const amount = wholeNumber(text);
    if (amount === null) errors[`amounts.${type}`] = 'Enter a whole number, or leave it empty.';
    else capacity.push({ type, amount });
  }
  if (Object.values(form.amounts).every((text) => text.trim() === '')) {
    errors[`amounts.${Object.keys(form.amounts)[0]}`] = 'Enter what each machine needs.';
  }
  const duration = toIsoDuration(form.duration);
  if (duration === null) {
    const found = form.duration.trim() === '' ? '' : `“${form.duration}” is not a duration. `;
    errors.duration = `${found}Examples: 90m, 1h 30m, 2d, PT1H30M.`;
  }
  const start = hasStart(form) ? fromLocalInput(form.start, timeZone) : null;
  if (form.type === 'ADVANCE_RESERVATION' && start === null) errors.start = 'Enter a date and time.';
  const deadline = form.type === 'DEADLINE' ? fromLocalInput(form.deadline, timeZone) : null;
  if (form.type === 'DEADLINE' && deadline === null) errors.deadline = 'Enter a date and time.';
  const endNotice = form.endNotice.trim() === '' ? null : endNoticeOf(form.endNotice);
  if (endNotice === undefined) errors.endNotice = 'Enter a duration, such as 15m; 0 for no notice.';
  const sizeMb = wholeNumber(form.imageSizeMb);
  if (form.imageName !== '' && sizeMb === null) errors.imageSizeMb = 'Enter the size of the image.';
  if (Object.keys(errors).length > 0 || count === null || duration === null) return { errors, input: null };
  return {
    errors,
    input: {
      type: form.type,
      machines: [{ count, capacity }],
      duration,
      preemptible: form.preemptible,
      ...(form.name.trim() === '' ? {} : { name: form.name.trim() }),
      ...(form.project === '' ? {} : { project: form.project }),
      ...(start === null ? {} : { start }),
      ...(deadline === null ? {} : { deadline }),
      ...(endNotice == null ? {} : { endNotice }),
      ...(form.imageName === '' || sizeMb === null ? {} : { diskImage: { name: form.imageName, sizeMb } }),
    },
  };
}

function endNoticeOf(text: string): string | undefined {
  if (text.trim() === '0') return 'PT0S';
  return toIsoDuration(text) ?? undefined;
}

export function hasStart({ type }: Pick<LeaseForm, 'type'>): boolean {
  return type === 'ADVANCE_RESERVATION' || type === 'DEADLINE';
}

interface UserError {
  readonly message: string;
  readonly path: readonly string[] | null;
}

/** The server's errors by field; those without a field come last. */
export function placeErrors(
  errors: readonly UserError[],
  input: RequestLeaseInput | null,
): { readonly fields: FieldErrors; readonly others: readonly string[] } {
  const fields: Partial<Record<Field, string>> = {};
  const others: string[] = [];
  for (const { message, path } of errors) {
    const field = fieldAt(path ?? [], input);
    if (field === null) others.push(message);
    else fields[field] ??= message;
  }
  return { fields, others };
}

/** Paths begin with the argument, such as ["input", "machines", "0", "capacity", "1", "amount"]. */
function fieldAt(path: readonly string[], input: RequestLeaseInput | null): Field | null {
  const [, name, , part, index] = path;
  if (name === 'machines') {
    if (part === 'count') return 'count';
    const type = input?.machines[0]?.capacity[Number(index ?? 0)]?.type;
    return part === 'capacity' && type !== undefined ? `amounts.${type}` : null;
  }
  if (name === 'diskImage') return path[2] === 'sizeMb' ? 'imageSizeMb' : 'imageName';
  const plain: readonly Field[] = [
    'type',
    'name',
    'duration',
    'start',
    'deadline',
    'preemptible',
    'project',
    'endNotice',
  ];
  return plain.find((field) => field === name) ?? null;
}

/** The form with the terms of a lease, without start and deadline. */
export function formOf(lease: Template, resourceTypes: readonly string[]): LeaseForm {
  const capacity = lease.machines[0]?.capacity ?? [];
  const empty = emptyForm(resourceTypes);
  const amounts = Object.fromEntries(capacity.map(({ type, amount }) => [type, String(amount)]));
  return {
    ...empty,
    type: lease.type === 'UNKNOWN' ? empty.type : lease.type,
    name: lease.name ?? '',
    duration: exactDuration(lease.requestedDuration),
    count: String(lease.machines.length),
    amounts: { ...Object.fromEntries(resourceTypes.map((type) => [type, ''])), ...amounts },
    preemptible: lease.preemptible,
    project: lease.project?.id ?? '',
    imageName: lease.diskImage?.name ?? '',
    imageSizeMb: lease.diskImage ? String(lease.diskImage.sizeMb) : '',
  };
}

/** The form supports only equal machines. */
export function hasEqualMachines({ machines }: Template): boolean {
  const [first] = machines;
  const text = JSON.stringify(first?.capacity);
  return machines.every(({ capacity }) => JSON.stringify(capacity) === text);
}

type Template = NonNullable<ConsoleLeaseDetailQuery['lease']>;

function wholeNumber(text: string): number | null {
  return /^\d+$/.test(text.trim()) ? Number(text) : null;
}
