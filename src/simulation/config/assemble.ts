import { defaultSchedulerConfig, type SchedulerConfig } from '../../core/index.ts';
import type { SimulationConfig } from '../workload.ts';
import { type ConfigEntry, type OptionName, OptionValues } from './option-values.ts';
import type { SiteSource } from './options.ts';

/** What a configuration says: the run itself, and files that it names (as they stand there). */
export interface LoadedConfig {
  readonly file: string;
  readonly config: SimulationConfig;
  /** Another file that describes the site. */
  readonly siteFile: string | null;
  readonly traceFile: string | null;
  readonly imageFile: string | null;
  readonly injectionFile: string | null;
  readonly dataFile: string | null;
  readonly warnings: readonly string[];
}

/** A configuration out of its options. Throws ConfigError for what is wrong, unknown or missing. */
export function assembleConfig(
  file: string,
  entries: readonly ConfigEntry[],
  nameOf?: OptionName,
): LoadedConfig {
  const options = new OptionValues(file, entries, nameOf);
  options.require('general', 'mode');
  const site = options.require('simulation', 'resources');
  const clock = options.get('simulation', 'clock') ?? 'real';
  const startTime =
    clock === 'simulated'
      ? options.require('simulation', 'starttime', 'as simulation.clock is simulated')
      : options.get('simulation', 'starttime');
  const warnings =
    clock === 'real' && options.has('simulation')
      ? [`${file}: simulation.clock is real: a simulation here always has its own clock`]
      : [];
  const memory = options.get('tracefile', 'override-memory') ?? -1;
  return {
    file,
    config: {
      scheduler: schedulerConfig(options),
      startTime: startTime ?? 0,
      site: isSite(site) ? site : null,
      stopWhen: options.get('simulation', 'stop-when') ?? 'all-leases-done',
      overheads: {
        applyTo: options.get('tracefile', 'add-overhead') ?? 'none',
        runtimeSlowdown: options.get('tracefile', 'runtime-slowdown-overhead') ?? 0,
        bootShutdown: options.get('tracefile', 'bootshutdown-overhead') ?? 0,
      },
      overrideMemory: memory === -1 ? null : memory,
      probes: options.get('accounting', 'probes') ?? [],
      attributes: options.get('accounting', 'attributes') ?? {},
    },
    siteFile: typeof site === 'object' && 'file' in site ? site.file : null,
    traceFile: options.get('tracefile', 'tracefile') ?? null,
    imageFile: options.get('tracefile', 'imagefile') ?? null,
    injectionFile: options.get('tracefile', 'injectionfile') ?? null,
    dataFile: options.get('accounting', 'datafile') ?? null,
    warnings: [...warnings, ...options.warnings],
  };
}

function isSite(site: SiteSource): site is Exclude<SiteSource, string | { readonly file: string }> {
  return typeof site === 'object' && 'nodes' in site;
}

function schedulerConfig(options: OptionValues): SchedulerConfig {
  const defaults = defaultSchedulerConfig;
  const suspension = options.require('scheduling', 'suspension');
  const preparation = options.get('general', 'lease-preparation') ?? defaults.preparation;
  const backfilling = options.get('scheduling', 'backfilling') ?? defaults.backfilling;
  const reuse = options.get('deploy-imagetransfer', 'diskimage-reuse') ?? defaults.imageTransfer.reuse;
  const images = preparation === 'imagetransfer';
  if (suspension !== 'none') {
    const why = `as scheduling.suspension is ${suspension}`;
    options.require('scheduling', 'suspend-rate', why);
    options.require('scheduling', 'resume-rate', why);
  }
  if (backfilling === 'intermediate') {
    options.require('scheduling', 'backfilling-reservations', 'as scheduling.backfilling is intermediate');
  }
  if (images) {
    const why = 'as general.lease-preparation is imagetransfer';
    options.require('simulation', 'imagetransfer-bandwidth', why);
    options.require('deploy-imagetransfer', 'transfer-mechanism', why);
    if (reuse === 'image-caches') {
      options.require('deploy-imagetransfer', 'diskimage-cache-size', 'as diskimage-reuse is image-caches');
    }
  }
  return {
    admission: options.get('scheduling', 'policy-admission') ?? defaults.admission,
    hostSelection: options.get('scheduling', 'policy-host-selection') ?? defaults.hostSelection,
    preemption: options.get('scheduling', 'policy-preemption') ?? defaults.preemption,
    backfilling,
    backfillingReservations:
      options.get('scheduling', 'backfilling-reservations') ?? defaults.backfillingReservations,
    suspension,
    suspendRate: options.get('scheduling', 'suspend-rate') ?? defaults.suspendRate,
    resumeRate: options.get('scheduling', 'resume-rate') ?? defaults.resumeRate,
    suspendResumeExclusion:
      options.get('scheduling', 'suspendresume-exclusion') ?? defaults.suspendResumeExclusion,
    overrideSuspendTime: options.get('scheduling', 'override-suspend-time') ?? defaults.overrideSuspendTime,
    overrideResumeTime: options.get('scheduling', 'override-resume-time') ?? defaults.overrideResumeTime,
    schedulingThresholdFactor:
      options.get('scheduling', 'scheduling-threshold-factor') ?? defaults.schedulingThresholdFactor,
    forceSchedulingThreshold:
      options.get('scheduling', 'force-scheduling-threshold') ?? defaults.forceSchedulingThreshold,
    migration: options.get('scheduling', 'migration') ?? defaults.migration,
    shutdownTime: options.get('scheduling', 'shutdown-time') ?? defaults.shutdownTime,
    enactmentOverhead: options.get('scheduling', 'enactment-overhead') ?? defaults.enactmentOverhead,
    preparation,
    imageTransfer: {
      bandwidth: options.get('simulation', 'imagetransfer-bandwidth') ?? defaults.imageTransfer.bandwidth,
      mechanism:
        options.get('deploy-imagetransfer', 'transfer-mechanism') ?? defaults.imageTransfer.mechanism,
      avoidRedundantTransfers:
        options.get('deploy-imagetransfer', 'avoid-redundant-transfers') ??
        defaults.imageTransfer.avoidRedundantTransfers,
      forceTransferTime:
        options.get('deploy-imagetransfer', 'force-imagetransfer-time') ??
        defaults.imageTransfer.forceTransferTime,
      reuse,
      cacheSizeMb:
        options.get('deploy-imagetransfer', 'diskimage-cache-size') ?? defaults.imageTransfer.cacheSizeMb,
    },
    leaseFailureHandling: options.get('general', 'lease-failure-handling') ?? defaults.leaseFailureHandling,
  };
}
