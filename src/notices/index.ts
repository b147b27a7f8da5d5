import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { PrismaClient } from '../store/prisma/client.ts';
import { AddressRules } from './addresses.ts';
import { Deliverer, type DeliverySettings } from './deliverer.ts';
import { createDeliveryMetrics } from './metrics.ts';
import { DeliveryQueue } from './queue.ts';
import type { WebhookSettings } from './webhooks.ts';

export { networkOf } from './addresses.ts';
export { maxWebhooks, type WebhookSettings, Webhooks } from './webhooks.ts';

export interface WebhookDeliveryOptions {
  readonly prisma: PrismaClient;
  readonly settings: WebhookSettings & DeliverySettings;
  /** The name of the site. */
  readonly site: string;
  readonly isWriter: () => boolean;
  readonly log: Logger;
  readonly registry: Registry;
}

/** Delivers notices to webhooks while this server is the writer, from `start()` to `stop()`. */
export function createDeliverer(options: WebhookDeliveryOptions): Deliverer {
  const { isWriter, log, prisma, registry, settings, site } = options;
  return new Deliverer({
    ...{ isWriter, log, settings, site },
    queue: new DeliveryQueue(prisma),
    addresses: new AddressRules(settings.allowedNetworks),
    metrics: createDeliveryMetrics(registry),
  });
}
