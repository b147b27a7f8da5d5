import { Counter, Gauge, type Registry } from 'prom-client';

/** What the fan-out counts, for Prometheus. */
export interface FanOutMetrics {
  /** Reads the gauges from here from now on. */
  watch(read: () => FanOutReadings): void;
  /** Events executed once for all subscriptions that select the same. */
  executed(events: number): void;
  /** Results handed to a subscriber. */
  delivered(results: number): void;
  /** A subscriber did not read fast enough and goes back to reading from the database. */
  fellBehind(): void;
}

export interface FanOutReadings {
  readonly subscribers: number;
  readonly selections: number;
  /** Events between the slowest subscriber and the newest event. */
  readonly lag: number;
}

export function createFanOutMetrics(registry: Registry): FanOutMetrics {
  const registers = [registry];
  let read: (() => FanOutReadings) | null = null;
  const gauge = (name: string, help: string, value: (readings: FanOutReadings) => number): void => {
    new Gauge({
      name: `leasegraph_${name}`,
      help,
      registers,
      collect() {
        if (read) this.set(value(read()));
      },
    });
  };
  gauge('subscribers', 'Subscriptions to events.', ({ subscribers }) => subscribers);
  gauge('subscriber_lag', 'Events between the slowest subscriber and the newest event.', ({ lag }) => lag);
  gauge('selections', 'Distinct selections among subscriptions to events.', ({ selections }) => selections);
  const counter = (name: string, help: string): Counter =>
    new Counter({ name: `leasegraph_${name}_total`, help, registers });
  const executions = counter('selection_executions', 'Events executed, once for each distinct selection.');
  const deliveries = counter('deliveries', 'Results of events handed to subscribers.');
  const behind = counter(
    'subscribers_behind',
    'How often a subscriber did not read fast enough and went back to reading from the database.',
  );
  return {
    watch: (reader) => {
      read = reader;
    },
    executed: (events) => executions.inc(events),
    delivered: (results) => deliveries.inc(results),
    fellBehind: () => behind.inc(),
  };
}
