import { type Aggregator, Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** Prometheus metrics of the fan-out. */
export interface FanOutMetrics {
  /** Sets the source of the gauges. */
  watch(read: () => FanOutReadings): void;
  /** Age of an event when it arrives (seconds). */
  published(seconds: number): void;
  /** Waiting time of the first event of a delivery to a selection (seconds). */
  fannedOut(seconds: number): void;
  /** A page of events for subscribers that are behind: read, or shared with others that ask for the same. */
  page(source: 'read' | 'shared'): void;
  /** Events executed once for all subscriptions that select the same. */
  executed(events: number): void;
  /** Results delivered to a subscriber. */
  delivered(results: number): void;
  /** A subscriber was too slow and returns to reading from the database. */
  fellBehind(): void;
}

export interface FanOutReadings {
  readonly subscribers: number;
  readonly selections: number;
  /** Events between the slowest subscriber and the newest event. */
  readonly lag: number;
  /** Events waiting for delivery, over all selections. */
  readonly pending: number;
}

export function createFanOutMetrics(registry: Registry): FanOutMetrics {
  const registers = [registry];
  let read: (() => FanOutReadings) | null = null;
  const gauge = (
    name: string,
    help: string,
    value: (readings: FanOutReadings) => number,
    aggregator: Aggregator = 'sum',
  ): void => {
    new Gauge({
      name: `leasegraph_${name}`,
      help,
      registers,
      aggregator,
      collect() {
        if (read) this.set(value(read()));
      },
    });
  };
  gauge('subscribers', 'Subscriptions to events.', ({ subscribers }) => subscribers);
  gauge('subscriber_lag', 'Events between the slowest subscriber and the newest event.', ({ lag }) => lag, 'max');
  gauge('selections', 'Distinct selections among subscriptions to events.', ({ selections }) => selections);
  gauge('fan_out_waiting', 'Events that wait to be delivered, over all selections.', ({ pending }) => pending);
  const lag = (name: string, help: string): Histogram =>
    new Histogram({
      name: `leasegraph_${name}_seconds`,
      help,
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60],
      registers,
    });
  const publish = lag(
    'publish_lag',
    'Time from the instant of an event until this process knows it, while there are subscribers.',
  );
  const fanOut = lag(
    'fan_out',
    'Time from when an event is known until it was handed to all subscribers that keep up.',
  );
  const pages = new Counter({
    name: 'leasegraph_replay_pages_total',
    help: 'Pages of events for subscribers that are behind: read, or shared with others that ask for the same.',
    labelNames: ['source'],
    registers,
  });
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
    // The clocks of two machines may differ.
    published: (seconds) => publish.observe(Math.max(0, seconds)),
    fannedOut: (seconds) => fanOut.observe(seconds),
    page: (source) => pages.inc({ source }),
    executed: (events) => executions.inc(events),
    delivered: (results) => deliveries.inc(results),
    fellBehind: () => behind.inc(),
  };
}
