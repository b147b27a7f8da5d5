import { ConfigurationError, shorten } from '../error.ts';
import { parseSiteLine, siteLineForm } from '../site-line.ts';

/** A value for a key of the native configuration; undefined removes the key. */
export type Assignment = readonly [path: readonly string[], value: unknown];

/** What an option of a Haizea configuration becomes: values of native keys, which the schema then checks. */
export type HaizeaOption = (text: string) => readonly Assignment[];

/** The option means something to other programs, but not to a simulation: a warning names it. */
export const ignored: HaizeaOption = () => [];

type Convert = (text: string) => unknown;

function to(path: string, convert: Convert = (text) => text): HaizeaOption {
  return (text) => [[path.split('.'), convert(text)]];
}

function only(...values: readonly string[]): HaizeaOption {
  return (text) => {
    if (values.includes(text)) return [];
    throw new ConfigurationError('INVALID_VALUE', `"${shorten(text)}" was found, expected ${values.join(' or ')}`);
  };
}

/** What is not a number stays text, for the schema to refuse. */
const number: Convert = (text) => (/^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(text) ? Number(text) : text);
const orNull =
  (convert: Convert = (text) => text): Convert =>
  (text) =>
    text.toLowerCase() === 'none' ? null : convert(text);
const words: Convert = (text) => text.split(/[\s,]+/).filter((word) => word !== '' && word !== 'none');
const booleans: ReadonlyMap<string, boolean> = new Map([
  ...['true', 'yes', 'on', '1'].map((word) => [word, true] as const),
  ...['false', 'no', 'off', '0'].map((word) => [word, false] as const),
]);
const boolean: Convert = (text) => booleans.get(text.toLowerCase()) ?? text;
const memory: Convert = (text) => (text === '-1' ? null : number(text));

const attributes: HaizeaOption = (text) => {
  if (text === '' || text === 'none') return [];
  return text.split(',').map((pair): Assignment => {
    const [, name, value] = /^\s*([^=]+?)\s*=\s*(.*?)\s*$/.exec(pair) ?? [];
    if (name !== undefined && value !== undefined) return [['simulation', 'attributes', name], value];
    throw new ConfigurationError('INVALID_VALUE', `"${shorten(text)}" was found, expected NAME=VALUE,NAME=VALUE`);
  });
};

/** Where the site comes from: the trace, a file, or the text itself. */
const resources: HaizeaOption = (text) => {
  const site = (value: unknown, file: string | null): Assignment[] => [
    [['site'], value],
    [['simulation', 'siteFile'], file],
  ];
  if (text === 'in-tracefile') return site(undefined, null);
  if (text.startsWith('file:')) return site(undefined, text.slice('file:'.length).trim());
  try {
    return site(parseSiteLine(text), null);
  } catch (error) {
    const expected = `in-tracefile, file:PATH, or ${siteLineForm}`;
    const [found] = (error as Error).message.split(', expected');
    throw new ConfigurationError('INVALID_VALUE', `${found}, expected ${expected}`);
  }
};

/**
 * What Haizea 1.1 calls its deadline mapper and policy: leases with a deadline are scheduled in any case, and preempt
 * as ARs do (D5).
 */
export const deadline = 'deadline';

const preemption: HaizeaOption = (text) => [
  [['scheduler', 'preemption'], text === deadline ? 'ar-preempts-everything' : text],
];

/** Every option of a Haizea configuration, by section. */
export const haizeaOptions: Readonly<Record<string, Readonly<Record<string, HaizeaOption>>>> = {
  general: {
    loglevel: ignored,
    logfile: ignored,
    mode: only('simulated'),
    'lease-preparation': to('scheduler.preparation'),
    'lease-failure-handling': to('scheduler.leaseFailureHandling'),
    'persistence-file': ignored,
  },
  scheduling: {
    mapper: only('greedy', deadline),
    'policy-admission': to('scheduler.admission'),
    'policy-preemption': preemption,
    'preemption-limit': to('scheduler.preemptionLimit', orNull(number)),
    'preemption-exempt-time': to('scheduler.preemptionExemptTime', number),
    'preemption-peace': to('scheduler.preemptionPeace', orNull(number)),
    'stop-victims': to('scheduler.stopVictims'),
    'node-failure': to('scheduler.nodeFailure'),
    'policy-host-selection': to('scheduler.hostSelection'),
    'policy-pricing': ignored,
    'wakeup-interval': ignored,
    backfilling: to('scheduler.backfilling'),
    'backfilling-reservations': to('scheduler.backfillingReservations', number),
    suspension: to('scheduler.suspension'),
    'suspend-rate': to('scheduler.suspendRate', number),
    'resume-rate': to('scheduler.resumeRate', number),
    'suspendresume-exclusion': to('scheduler.suspendResumeExclusion'),
    'scheduling-threshold-factor': to('scheduler.schedulingThresholdFactor', number),
    'override-suspend-time': to('scheduler.overrideSuspendTime', orNull(number)),
    'override-resume-time': to('scheduler.overrideResumeTime', orNull(number)),
    'force-scheduling-threshold': to('scheduler.forceSchedulingThreshold', orNull(number)),
    migration: to('scheduler.migration'),
    'non-schedulable-interval': ignored,
    'shutdown-time': to('scheduler.shutdownTime', number),
    'enactment-overhead': to('scheduler.enactmentOverhead', number),
  },
  simulation: {
    clock: only('simulated', 'real'),
    starttime: to('simulation.startTime'),
    resources,
    'imagetransfer-bandwidth': to('scheduler.imageTransfer.bandwidth', number),
    'stop-when': to('simulation.stopWhen'),
    'stop-when-time': ignored,
    'status-message-interval': ignored,
    'sanity-check': ignored,
  },
  accounting: {
    datafile: to('simulation.output', orNull()),
    probes: to('simulation.probes', words),
    attributes,
  },
  'deploy-imagetransfer': {
    'transfer-mechanism': to('scheduler.imageTransfer.mechanism'),
    'avoid-redundant-transfers': to('scheduler.imageTransfer.avoidRedundantTransfers', boolean),
    'force-imagetransfer-time': to('scheduler.imageTransfer.forceTransferTime', orNull(number)),
    'diskimage-reuse': to('scheduler.imageTransfer.reuse'),
    'diskimage-cache-size': to('scheduler.imageTransfer.cacheSizeMb', number),
  },
  tracefile: {
    tracefile: to('simulation.trace'),
    imagefile: to('simulation.images', orNull()),
    annotationfile: ignored,
    injectionfile: to('simulation.inject', orNull()),
    'runtime-slowdown-overhead': to('simulation.overheads.runtimeSlowdown', number),
    'add-overhead': to('simulation.overheads.applyTo'),
    'bootshutdown-overhead': to('simulation.overheads.bootShutdown', number),
    'override-memory': to('simulation.overrideMemory', memory),
  },
  opennebula: {
    host: ignored,
    port: ignored,
    'stop-when-no-more-leases': ignored,
    'dry-run': ignored,
  },
  pricing: {
    rate: ignored,
    'min-rate': ignored,
    'max-rate': ignored,
    seed: ignored,
  },
};
