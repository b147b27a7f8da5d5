/** What the form for a new lease holds, and what it says in GraphQL and on the command line. */
import type { LeaseType, RequestLeaseInput } from '../api/generated/operations.ts';
import { toIsoDuration } from '../ui/format.ts';

/** As typed: every number is still text. */
export interface LeaseForm {
  readonly type: LeaseType;
  readonly name: string;
  readonly count: string;
  readonly amounts: Readonly<Record<string, string>>;
  readonly duration: string;
  /** Local date and time, as an input of type datetime-local gives it. */
  readonly start: string;
  /** Local date and time, as `start`; DEADLINE only. */
  readonly deadline: string;
  readonly preemptible: boolean;
  /** A global id; empty: none. */
  readonly project: string;
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
    imageName: '',
    imageSizeMb: '',
  };
}

/** Null while something is missing or is not a number, a date or a duration. The server judges the rest. */
export function toInput(form: LeaseForm): RequestLeaseInput | null {
  const count = wholeNumber(form.count);
  const duration = toIsoDuration(form.duration);
  const amounts = Object.entries(form.amounts).filter(([, text]) => text.trim() !== '');
  const capacity = amounts.map(([type, text]) => ({ type, amount: wholeNumber(text) ?? Number.NaN }));
  if (count === null || count < 1 || duration === null || capacity.length === 0) return null;
  if (capacity.some(({ amount }) => Number.isNaN(amount))) return null;
  const start = instantOf(form.start);
  const deadline = instantOf(form.deadline);
  if (form.type === 'ADVANCE_RESERVATION' && start === null) return null;
  if (form.type === 'DEADLINE' && deadline === null) return null;
  const hasStart = form.type === 'ADVANCE_RESERVATION' || form.type === 'DEADLINE';
  const sizeMb = wholeNumber(form.imageSizeMb);
  if (form.imageName !== '' && sizeMb === null) return null;
  return {
    type: form.type,
    machines: [{ count, capacity }],
    duration,
    preemptible: form.preemptible,
    ...(form.name.trim() === '' ? {} : { name: form.name.trim() }),
    ...(form.project === '' ? {} : { project: form.project }),
    ...(hasStart && start !== null ? { start } : {}),
    ...(form.type === 'DEADLINE' && deadline !== null ? { deadline } : {}),
    ...(form.imageName === '' || sizeMb === null ? {} : { diskImage: { name: form.imageName, sizeMb } }),
  };
}

function instantOf(local: string): string | null {
  const instant = new Date(local);
  return Number.isNaN(instant.getTime()) ? null : instant.toISOString();
}

function wholeNumber(text: string): number | null {
  return /^\d+$/.test(text.trim()) ? Number(text) : null;
}

/** Quotes for a POSIX shell where it is needed. */
function shellQuote(text: string): string {
  return /^[\w./:=@-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

export function toCommand(input: RequestLeaseInput): string {
  const machines = input.machines.map(({ count, capacity }) =>
    [count, ...capacity.map(({ type, amount }) => `${type}:${amount}`)].join(' '),
  );
  const options: readonly (readonly [string, string])[] = [
    ['--type', input.type.toLowerCase().replaceAll('_', '-')],
    ...machines.map((text) => ['--machines', text] as const),
    ['--duration', input.duration],
    ...(input.start ? [['--start', input.start] as const] : []),
    ...(input.deadline ? [['--deadline', input.deadline] as const] : []),
    ...(input.name ? [['--name', input.name] as const] : []),
    ...(input.diskImage ? [['--image', `${input.diskImage.name}:${input.diskImage.sizeMb}`] as const] : []),
  ];
  const lines = options.map(([name, value]) => `${name} ${shellQuote(value)}`);
  if (input.preemptible === false) lines.push('--no-preemptible');
  return ['leasegraph request', ...lines].join(' \\\n  ');
}

export function toGraphQL(input: RequestLeaseInput): string {
  const { type, ...rest } = input;
  const body = [
    `type: ${type}`,
    ...Object.entries(rest).map(([name, value]) => `${name}: ${literal(value)}`),
  ];
  return `mutation {
  requestLease(input: {
    ${body.join('\n    ')}
  }) {
    lease { number state }
    userErrors { code message path }
  }
}`;
}

function literal(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    return `{ ${Object.entries(value)
      .map(([name, each]) => `${name}: ${literal(each)}`)
      .join(', ')} }`;
  }
  return JSON.stringify(value);
}
