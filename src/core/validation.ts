import { SchedulerError } from './errors.ts';
import type { SchedulerConfig } from './model/config.ts';
import type { SiteSpec } from './model/records.ts';

/** Throws INVALID_SITE, naming what is wrong. */
export const validateSite = ({ resourceTypes, nodes }: SiteSpec): void => {
  const refuse = (message: string): never => {
    throw new SchedulerError('INVALID_SITE', message);
  };
  for (const type of ['CPU', 'Memory'])
    if (!resourceTypes.includes(type)) refuse(`the site must have the resource type ${type}`);
  for (const type of resourceTypes)
    if (type in Object.prototype) refuse(`"${type}" cannot be the name of a resource type`);
  if (new Set(resourceTypes).size !== resourceTypes.length)
    refuse(`a resource type is named twice: ${resourceTypes.join(', ')}`);
  if (nodes.length === 0) refuse('the site has no nodes');
  nodes.forEach(({ number, hostname, capacity }, index) => {
    if (number !== index + 1)
      refuse(`node ${hostname} has the number ${number}: numbers count up from 1, so ${index + 1} was expected`);
    for (const [type, amount] of Object.entries(capacity)) {
      if (!resourceTypes.includes(type))
        refuse(
          `node ${hostname} has "${type}", which is not among the site's resource types ${resourceTypes.join(', ')}`,
        );
      for (const quantity of typeof amount === 'number' ? [amount] : amount) {
        if (!Number.isSafeInteger(quantity) || quantity < 0)
          refuse(`node ${hostname} has ${quantity} ${type}: amounts are whole numbers from 0 on`);
      }
    }
  });
};

/** Throws INVALID_CONFIG, naming the key. */
export const validateConfig = (config: SchedulerConfig): void => {
  const refuse = (key: string, value: unknown, expected: string): never => {
    throw new SchedulerError('INVALID_CONFIG', `${key} is ${String(value)}: expected ${expected}`, key.split('.'));
  };
  const duration = (key: string, value: number | null) => {
    if (value !== null && !(Number.isSafeInteger(value) && value >= 0)) refuse(key, value, 'a duration of 0 or more');
  };
  const positive = (key: string, value: number) => {
    if (!(Number.isFinite(value) && value > 0)) refuse(key, value, 'a number greater than 0');
  };
  duration('shutdownTime', config.shutdownTime);
  duration('enactmentOverhead', config.enactmentOverhead);
  duration('overrideSuspendTime', config.overrideSuspendTime);
  duration('overrideResumeTime', config.overrideResumeTime);
  duration('forceSchedulingThreshold', config.forceSchedulingThreshold);
  duration('preemptionExemptTime', config.preemptionExemptTime);
  duration('preemptionPeace', config.preemptionPeace);
  const { preemptionLimit: limit } = config;
  if (limit !== null && !(Number.isSafeInteger(limit) && limit >= 0))
    refuse('preemptionLimit', limit, 'a whole number of 0 or more, or none');
  duration('imageTransfer.forceTransferTime', config.imageTransfer.forceTransferTime);
  positive('suspendRate', config.suspendRate);
  positive('resumeRate', config.resumeRate);
  positive('imageTransfer.bandwidth', config.imageTransfer.bandwidth);
  if (!(config.schedulingThresholdFactor >= 0))
    refuse('schedulingThresholdFactor', config.schedulingThresholdFactor, 'a number of 0 or more');
  const { backfilling, backfillingReservations: reservations } = config;
  if (backfilling === 'intermediate' && !(Number.isSafeInteger(reservations) && reservations >= 0)) {
    refuse('backfillingReservations', reservations, 'a whole number of 0 or more');
  }
  const { cacheSizeMb } = config.imageTransfer;
  if (!Number.isFinite(cacheSizeMb) || cacheSizeMb < -1)
    refuse('imageTransfer.cacheSizeMb', cacheSizeMb, 'a size in MB, or -1 for no limit');
};
