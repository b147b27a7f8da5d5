import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

export interface DeliveryMetrics {
  attempt(outcome: 'succeeded' | 'failed', seconds: number): void;
  paused(): void;
  counts(counts: { readonly pending: number; readonly paused: number }): void;
}

export function createDeliveryMetrics(registry: Registry): DeliveryMetrics {
  const registers = [registry];
  const attempts = new Histogram({
    name: 'leasegraph_webhook_attempt_seconds',
    help: 'Time that attempts to deliver notices to webhooks took, by outcome.',
    labelNames: ['outcome'],
    buckets: [0.05, 0.1, 0.5, 1, 2.5, 5, 10, 30],
    registers,
  });
  const pauses = new Counter({
    name: 'leasegraph_webhook_pauses_total',
    help: 'How often a webhook was paused because deliveries to it failed for long.',
    registers,
  });
  const pending = new Gauge({
    name: 'leasegraph_webhook_deliveries_pending',
    help: 'Deliveries to webhooks that have not succeeded yet, on the writer.',
    registers,
  });
  const paused = new Gauge({
    name: 'leasegraph_webhooks_paused',
    help: 'Webhooks that are paused because deliveries to them failed for long, on the writer.',
    registers,
  });
  return {
    attempt: (outcome, seconds) => attempts.observe({ outcome }, seconds),
    paused: () => pauses.inc(),
    counts: (counts) => {
      pending.set(counts.pending);
      paused.set(counts.paused);
    },
  };
}
