import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { PrismaClient } from '../store/prisma/client.ts';
import { AddressRules } from './addresses.ts';
import { Deliverer, type DeliverySettings } from './deliverer.ts';
import { createDeliveryMetrics } from './metrics.ts';
import { DeliveryQueue } from './queue.ts';
import type { SecretBox } from './secret-box.ts';
import type { WebhookSettings } from './webhooks.ts';

export { networkOf } from './addresses.ts';
export { SecretBox, SecretKeyError } from './secret-box.ts';
export { maxWebhooks, type WebhookSettings, Webhooks } from './webhooks.ts';

export interface WebhookDeliveryOptions {
  readonly prisma: PrismaClient;
  readonly settings: WebhookSettings & DeliverySettings;
  readonly secrets: SecretBox;
  /** The name of the site. */
  readonly site: string;
  readonly isWriter: () => boolean;
  readonly log: Logger;
  readonly registry: Registry;
}

/** Delivers notices to webhooks while this server is the writer, from `start()` to `stop()`. */
export function createDeliverer(options: WebhookDeliveryOptions): Deliverer {
  const { isWriter, log, prisma, registry, secrets, settings, site } = options;
  return new Deliverer({
    ...{ isWriter, log, secrets, settings, site },
    queue: new DeliveryQueue(prisma),
    addresses: new AddressRules(settings.allowedNetworks),
    metrics: createDeliveryMetrics(registry),
  });
}
