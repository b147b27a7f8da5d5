import { parseSite } from '../formats/site.ts';
import { parseInstant, parseNumber, parseSeconds } from '../formats/values.ts';

/** What an option's value must look like. */
export interface OptionType<T> {
  readonly expected: string;
  /** Undefined where the text is no such value. */
  parse(text: string): T | undefined;
  /** The option means something to other programs, but not to a simulation: it is named in a warning. */
  readonly noMeaning?: true;
}

function oneOf<const T extends string>(...values: readonly T[]): OptionType<T> {
  return { expected: values.join(', '), parse: (text) => values.find((value) => value === text) };
}

function orNone<T>(type: OptionType<T>): OptionType<T | null> {
  return {
    expected: `${type.expected}, or none`,
    parse: (text) => (text.toLowerCase() === 'none' ? null : type.parse(text)),
  };
}

const text: OptionType<string> = { expected: 'a text', parse: (value) => value };
const words: OptionType<string[]> = {
  expected: 'names with blanks between them',
  parse: (value) => value.split(/[\s,]+/).filter((word) => word !== '' && word !== 'none'),
};
const noMeaning: OptionType<string> = { ...text, noMeaning: true };

const millis: OptionType<number> = {
  expected: 'seconds that are not negative',
  parse: (value) => parseSeconds(value) ?? undefined,
};
const instant: OptionType<number> = {
  expected: 'an instant YYYY-MM-DD HH:MM:SS',
  parse: (value) => parseInstant(value) ?? undefined,
};
const number: OptionType<number> = {
  expected: 'a number that is not negative',
  parse: (value) => parseNumber(value) ?? undefined,
};
const positive: OptionType<number> = {
  expected: 'a number greater than 0',
  parse: (value) => parseNumber(value) || undefined,
};
const wholeNumber: OptionType<number> = {
  expected: 'a whole number that is not negative',
  parse: (value) => (/^\d{1,9}$/.test(value) ? Number(value) : undefined),
};
const wholeNumberOrMinus1: OptionType<number> = {
  expected: 'a whole number, or -1',
  parse: (value) => (value === '-1' ? -1 : wholeNumber.parse(value)),
};
const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ...['true', 'yes', 'on', '1'].map((word) => [word, true] as const),
  ...['false', 'no', 'off', '0'].map((word) => [word, false] as const),
]);
const boolean: OptionType<boolean> = {
  expected: 'True or False',
  parse: (value) => BOOLEANS.get(value.toLowerCase()),
};

export const PROBES = [
  'ar',
  'immediate',
  'best-effort',
  'cpu-utilization',
  'disk-usage',
  'lease',
  'lease-extras',
] as const;

const probes: OptionType<string[]> = {
  expected: `some of ${PROBES.join(', ')}`,
  parse: (value) => {
    const names = words.parse(value) ?? [];
    return names.every((name) => (PROBES as readonly string[]).includes(name)) ? names : undefined;
  },
};

const attributes: OptionType<Record<string, string>> = {
  expected: 'name=value,name=value',
  parse: (value) => {
    if (value === '' || value === 'none') return {};
    const pairs = value.split(',').map((pair) => /^\s*([^=]+?)\s*=\s*(.*?)\s*$/.exec(pair));
    if (pairs.includes(null)) return undefined;
    return Object.fromEntries(pairs.map((pair) => [pair?.[1] ?? '', pair?.[2] ?? '']));
  },
};

/** Where the site comes from: a file, the trace, or the text itself. */
export type SiteSource = { readonly file: string } | 'in-tracefile' | ReturnType<typeof parseSite>;

const resources: OptionType<SiteSource> = {
  expected: 'in-tracefile, file:PATH, or a site such as "4 CPU:100 Memory:1024"',
  parse: (value) => {
    if (value === 'in-tracefile') return value;
    if (value.startsWith('file:')) return { file: value.slice('file:'.length).trim() };
    try {
      return parseSite(value);
    } catch {
      return undefined;
    }
  },
};

/** Whether a policy is named by the path of its module. */
export function isModulePath(name: string): boolean {
  return /[/\\].*\.[cm]?[jt]s$/.test(name);
}

function policy(...names: readonly string[]): OptionType<string> {
  return {
    expected: `${names.join(', ')}, or the path of a module (./my-policy.js)`,
    parse: (value) => (names.includes(value) || isModulePath(value) ? value : undefined),
  };
}

/** Every option of a Haizea configuration, by section. */
export const OPTIONS = {
  general: {
    loglevel: noMeaning,
    logfile: noMeaning,
    mode: oneOf('simulated'),
    'lease-preparation': oneOf('unmanaged', 'imagetransfer'),
    'lease-failure-handling': oneOf('cancel', 'exit', 'exit-raise'),
    'persistence-file': noMeaning,
  },
  scheduling: {
    mapper: oneOf('greedy'),
    'policy-admission': policy('accept-all', 'no-ARs'),
    'policy-preemption': policy('no-preemption', 'ar-preempts-everything', 'ar-preempts-be'),
    'policy-host-selection': policy('no-policy', 'greedy'),
    'policy-pricing': noMeaning,
    'wakeup-interval': noMeaning,
    backfilling: oneOf('off', 'aggressive', 'conservative', 'intermediate'),
    'backfilling-reservations': wholeNumber,
    suspension: oneOf('none', 'serial-only', 'all'),
    'suspend-rate': positive,
    'resume-rate': positive,
    'suspendresume-exclusion': oneOf('local', 'global'),
    'scheduling-threshold-factor': number,
    'override-suspend-time': orNone(millis),
    'override-resume-time': orNone(millis),
    'force-scheduling-threshold': orNone(millis),
    migration: oneOf('no', 'yes', 'yes-notransfer'),
    'non-schedulable-interval': noMeaning,
    'shutdown-time': millis,
    'enactment-overhead': millis,
  },
  simulation: {
    clock: oneOf('real', 'simulated'),
    starttime: instant,
    resources,
    'imagetransfer-bandwidth': positive,
    'stop-when': oneOf('all-leases-done', 'besteffort-submitted', 'besteffort-done'),
    'stop-when-time': noMeaning,
    'status-message-interval': noMeaning,
    'sanity-check': noMeaning,
  },
  accounting: {
    datafile: orNone(text),
    probes,
    attributes,
  },
  'deploy-imagetransfer': {
    'transfer-mechanism': oneOf('unicast', 'multicast'),
    'avoid-redundant-transfers': boolean,
    'force-imagetransfer-time': orNone(millis),
    'diskimage-reuse': oneOf('none', 'image-caches'),
    'diskimage-cache-size': wholeNumberOrMinus1,
  },
  tracefile: {
    tracefile: text,
    imagefile: orNone(text),
    annotationfile: noMeaning,
    injectionfile: orNone(text),
    'runtime-slowdown-overhead': number,
    'add-overhead': oneOf('none', 'besteffort', 'all'),
    'bootshutdown-overhead': millis,
    'override-memory': wholeNumberOrMinus1,
  },
  opennebula: {
    host: noMeaning,
    port: noMeaning,
    'stop-when-no-more-leases': noMeaning,
    'dry-run': noMeaning,
  },
  pricing: {
    rate: noMeaning,
    'min-rate': noMeaning,
    'max-rate': noMeaning,
    seed: noMeaning,
  },
} satisfies Record<string, Record<string, OptionType<unknown>>>;

export type Section = keyof typeof OPTIONS;
export type Key<S extends Section> = keyof (typeof OPTIONS)[S] & string;
export type Value<S extends Section, K extends Key<S>> =
  (typeof OPTIONS)[S][K] extends OptionType<infer T> ? T : never;
