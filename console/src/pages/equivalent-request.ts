/** A request as a command line and in GraphQL. */
import type { RequestLeaseInput } from '../api/generated/operations.ts';

/** Quotes for a POSIX shell where it is needed. */
function shellQuote(text: string): string {
  return /^[\w./:=@-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

export function toCommand(input: RequestLeaseInput, projectName: string | null = null): string {
  const machines = input.machines.map(({ count, capacity }) =>
    [count, ...capacity.map(({ type, amount }) => `${type}:${amount}`)].join(' '),
  );
  const options: readonly (readonly [string, string])[] = [
    ['--type', input.type.toLowerCase().replaceAll('_', '-')],
    ...machines.map((text) => ['--machines', text] as const),
    ['--duration', input.duration],
    ...(input.start ? [['--start', input.start] as const] : []),
    ...(input.deadline ? [['--deadline', input.deadline] as const] : []),
    ...(input.endNotice ? [['--end-notice', input.endNotice] as const] : []),
    ...(input.name ? [['--name', input.name] as const] : []),
    ...(input.project ? [['--project', projectName ?? String(input.project)] as const] : []),
    ...(input.diskImage ? [['--image', `${input.diskImage.name}:${input.diskImage.sizeMb}`] as const] : []),
  ];
  const lines = options.map(([name, value]) => `${name} ${shellQuote(value)}`);
  const isPreemptible = input.type === 'BEST_EFFORT';
  if ((input.preemptible ?? isPreemptible) !== isPreemptible)
    lines.push(isPreemptible ? '--no-preemptible' : '--preemptible');
  return ['leasegraph request', ...lines].join(' \\\n  ');
}

export function toGraphQL(input: RequestLeaseInput): string {
  const { type, ...rest } = input;
  const body = [`type: ${type}`, ...Object.entries(rest).map(([name, value]) => `${name}: ${literal(value)}`)];
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
