import { defaultSchedulerConfig, type ImageTransferConfig, type SchedulerConfig } from '../../core/index.ts';
import { noOverheads } from '../overheads.ts';
import type { SimulationConfig } from '../workload.ts';
import type { OptionValues } from './option-values.ts';

/** What a configuration says: the run itself, and files that it names. */
export interface LoadedConfig {
  readonly file: string;
  readonly config: SimulationConfig;
  /** Another file that describes the site. */
  readonly siteFile: string | null;
  readonly traceFile: string | null;
  readonly imageFile: string | null;
  readonly injectionFile: string | null;
  /** Where the results go. */
  readonly dataFile: string | null;
  readonly warnings: readonly string[];
}

/** What holds where nothing else is said. */
export const defaultConfig: LoadedConfig = {
  file: 'simulate',
  config: {
    scheduler: defaultSchedulerConfig,
    startTime: 0,
    site: null,
    stopWhen: 'all-leases-done',
    overheads: noOverheads,
    overrideMemory: null,
    probes: [],
    attributes: {},
  },
  siteFile: null,
  traceFile: null,
  imageFile: null,
  injectionFile: null,
  dataFile: null,
  warnings: [],
};

/** The options on top of what holds without them. */
export function assembleConfig(options: OptionValues, base: LoadedConfig): LoadedConfig {
  const { config } = base;
  const memory = options.get('tracefile', 'override-memory');
  const { site, siteFile } = siteOf(options, base);
  return {
    file: base.file,
    config: {
      site,
      scheduler: schedulerConfig(options, config.scheduler),
      startTime: options.get('simulation', 'starttime') ?? config.startTime,
      stopWhen: options.get('simulation', 'stop-when') ?? config.stopWhen,
      overheads: {
        applyTo: options.get('tracefile', 'add-overhead') ?? config.overheads.applyTo,
        runtimeSlowdown:
          options.get('tracefile', 'runtime-slowdown-overhead') ?? config.overheads.runtimeSlowdown,
        bootShutdown: options.get('tracefile', 'bootshutdown-overhead') ?? config.overheads.bootShutdown,
      },
      overrideMemory: memory === undefined ? config.overrideMemory : memory === -1 ? null : memory,
      probes: options.get('accounting', 'probes') ?? config.probes,
      attributes: { ...config.attributes, ...options.get('accounting', 'attributes') },
    },
    siteFile,
    traceFile: options.get('tracefile', 'tracefile') ?? base.traceFile,
    imageFile: orBase(options.get('tracefile', 'imagefile'), base.imageFile),
    injectionFile: orBase(options.get('tracefile', 'injectionfile'), base.injectionFile),
    dataFile: orBase(options.get('accounting', 'datafile'), base.dataFile),
    warnings: [...base.warnings, ...options.warnings],
  };
}

function siteOf(
  options: OptionValues,
  base: LoadedConfig,
): Pick<SimulationConfig, 'site'> & Pick<LoadedConfig, 'siteFile'> {
  const resources = options.get('simulation', 'resources');
  if (resources === undefined) return { site: base.config.site, siteFile: base.siteFile };
  if (resources === 'in-tracefile') return { site: null, siteFile: null };
  return 'file' in resources ? { site: null, siteFile: resources.file } : { site: resources, siteFile: null };
}

function schedulerConfig(options: OptionValues, base: SchedulerConfig): SchedulerConfig {
  return {
    admission: options.get('scheduling', 'policy-admission') ?? base.admission,
    hostSelection: options.get('scheduling', 'policy-host-selection') ?? base.hostSelection,
    preemption: options.get('scheduling', 'policy-preemption') ?? base.preemption,
    backfilling: options.get('scheduling', 'backfilling') ?? base.backfilling,
    backfillingReservations:
      options.get('scheduling', 'backfilling-reservations') ?? base.backfillingReservations,
    suspension: options.get('scheduling', 'suspension') ?? base.suspension,
    suspendRate: options.get('scheduling', 'suspend-rate') ?? base.suspendRate,
    resumeRate: options.get('scheduling', 'resume-rate') ?? base.resumeRate,
    suspendResumeExclusion:
      options.get('scheduling', 'suspendresume-exclusion') ?? base.suspendResumeExclusion,
    overrideSuspendTime: orBase(options.get('scheduling', 'override-suspend-time'), base.overrideSuspendTime),
    overrideResumeTime: orBase(options.get('scheduling', 'override-resume-time'), base.overrideResumeTime),
    schedulingThresholdFactor:
      options.get('scheduling', 'scheduling-threshold-factor') ?? base.schedulingThresholdFactor,
    forceSchedulingThreshold: orBase(
      options.get('scheduling', 'force-scheduling-threshold'),
      base.forceSchedulingThreshold,
    ),
    migration: options.get('scheduling', 'migration') ?? base.migration,
    shutdownTime: options.get('scheduling', 'shutdown-time') ?? base.shutdownTime,
    enactmentOverhead: options.get('scheduling', 'enactment-overhead') ?? base.enactmentOverhead,
    preparation: options.get('general', 'lease-preparation') ?? base.preparation,
    imageTransfer: imageTransferConfig(options, base.imageTransfer),
    leaseFailureHandling: options.get('general', 'lease-failure-handling') ?? base.leaseFailureHandling,
  };
}

function imageTransferConfig(options: OptionValues, base: ImageTransferConfig): ImageTransferConfig {
  return {
    bandwidth: options.get('simulation', 'imagetransfer-bandwidth') ?? base.bandwidth,
    mechanism: options.get('deploy-imagetransfer', 'transfer-mechanism') ?? base.mechanism,
    avoidRedundantTransfers:
      options.get('deploy-imagetransfer', 'avoid-redundant-transfers') ?? base.avoidRedundantTransfers,
    forceTransferTime: orBase(
      options.get('deploy-imagetransfer', 'force-imagetransfer-time'),
      base.forceTransferTime,
    ),
    reuse: options.get('deploy-imagetransfer', 'diskimage-reuse') ?? base.reuse,
    cacheSizeMb: options.get('deploy-imagetransfer', 'diskimage-cache-size') ?? base.cacheSizeMb,
  };
}

/** An option that is set to `none` is null, one that is not set undefined. */
function orBase<T>(value: T | null | undefined, base: T | null): T | null {
  return value === undefined ? base : value;
}
