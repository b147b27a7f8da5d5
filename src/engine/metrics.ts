/** Prometheus metrics of the engine. */
import { type Aggregator, Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { ActionKind } from '../core/index.ts';
import type { EngineStatus, Expiring, NoticeKind, StoreErrorKind } from './ports.ts';

/** Read at each scrape. */
export interface EngineReadings {
  readonly role: EngineStatus['role'];
  readonly epoch: number;
  readonly ready: boolean;
  readonly liveLeases: number;
  readonly queueLength: number;
  readonly commandsWaiting: number;
  /** Whether the writer waits for the next instant, command or report. */
  readonly idle: boolean;
  readonly lastEventSequence: number;
  /** Duration of the current commit so far (ms); 0 when there is none. */
  readonly commitAge: number;
  readonly actionsOpen: number;
  /** Of these, actions for which no host has been called yet. */
  readonly actionsWaiting: number;
  /** Machines whose start waits for their node to become free. */
  readonly machinesWaiting: number;
  /** Hosts that do not answer. */
  readonly hostsUnreachable: number;
  /** Machines on hosts that belong to no lease. */
  readonly strayMachines: number;
}

export interface EngineMetrics {
  /** Sets the source of the gauges. */
  watch(read: () => EngineReadings): void;
  /** Duration of a whole pass in the core, in seconds. */
  pass(seconds: number): void;
  /** Time of a command in the inbox before its turn. */
  commandWaited(seconds: number): void;
  commit(seconds: number): void;
  commitFailed(kind: StoreErrorKind): void;
  commands(kind: string, outcome: 'accepted' | 'refused'): void;
  events(count: number): void;
  notice(kind: NoticeKind): void;
  /** Events read from the store for subscribers. */
  replayed(count: number): void;
  /** Rows deleted by retention. */
  expired(what: 'events' | 'notices' | Expiring, count: number): void;
  action(kind: ActionKind, outcome: 'succeeded' | 'failed' | 'superseded' | 'retried' | 'late' | 'delayed'): void;
  /** Time between the commit of an action and the first call to a host. */
  dispatched(seconds: number): void;
  /** One call of an adapter. */
  hostCall(call: {
    readonly adapter: string;
    readonly operation: string;
    readonly outcome: string;
    readonly seconds: number;
  }): void;
  /** The database's clock minus the machine's, in seconds. */
  skew(seconds: number): void;
  quarantined(rows: number): void;
  reloaded(): void;
}

/** For an engine without metrics. */
export const noMetrics: EngineMetrics = {
  watch: () => {},
  pass: () => {},
  commandWaited: () => {},
  commit: () => {},
  commitFailed: () => {},
  commands: () => {},
  events: () => {},
  notice: () => {},
  replayed: () => {},
  expired: () => {},
  action: () => {},
  dispatched: () => {},
  hostCall: () => {},
  skew: () => {},
  quarantined: () => {},
  reloaded: () => {},
};

const roles: readonly EngineStatus['role'][] = ['writer', 'standby', 'starting', 'stopped'];

const shortWaits = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Registers the engine's metrics, all named `leasegraph_…`. */
export const createEngineMetrics = (registry: Registry): EngineMetrics => {
  const registers = [registry];
  const counter = <L extends string>(name: string, help: string, labelNames: readonly L[] = []): Counter<L> =>
    new Counter({ name: `leasegraph_${name}`, help, labelNames, registers });
  const histogram = (name: string, help: string, buckets: number[]): Histogram =>
    new Histogram({ name: `leasegraph_${name}`, help, buckets, registers });

  let read: (() => EngineReadings) | null = null;
  const gauge = (
    name: string,
    help: string,
    of: (readings: EngineReadings) => number,
    aggregator: Aggregator = 'sum',
  ): void => {
    new Gauge({
      name: `leasegraph_${name}`,
      help,
      registers,
      aggregator,
      collect() {
        if (read) this.set(of(read()));
      },
    });
  };
  gauge('writer_epoch', 'Epoch of the writer; 0 on a standby.', (now) => now.epoch, 'max');
  gauge('ready', '1 when the engine serves, 0 when something is wrong.', (now) => (now.ready ? 1 : 0), 'min');
  gauge('live_leases', 'Leases that have not ended.', (now) => now.liveLeases);
  gauge('queue_length', 'Leases in the queue.', (now) => now.queueLength);
  gauge('commands_waiting', 'Commands that wait for a turn.', (now) => now.commandsWaiting);
  gauge(
    'writer_idle',
    '1 when the writer has nothing to do now: no command, report, pass or due instant waits.',
    (now) => (now.idle ? 1 : 0),
  );
  gauge(
    'commit_age_seconds',
    'How long the commit under way has been going on; 0 when there is none.',
    (now) => now.commitAge / 1_000,
  );
  gauge('last_event_sequence', 'Sequence number of the newest event.', (now) => now.lastEventSequence, 'max');
  gauge('actions_open', 'Actions that are recorded and not finished.', (now) => now.actionsOpen);
  gauge(
    'actions_waiting',
    'Actions that are recorded and for which no host has been called yet.',
    (now) => now.actionsWaiting,
  );
  gauge(
    'machines_waiting',
    'Machines whose start waits until what was on their node before has left.',
    (now) => now.machinesWaiting,
  );
  gauge('hosts_unreachable', 'Hosts that do not answer.', (now) => now.hostsUnreachable);
  gauge('stray_machines', 'Machines on hosts that belong to no lease.', (now) => now.strayMachines);
  new Gauge({
    name: 'leasegraph_role',
    help: '1 for the role that this server has.',
    labelNames: ['role'],
    registers,
    collect() {
      if (read) for (const role of roles) this.set({ role }, read().role === role ? 1 : 0);
    },
  });

  const pass = histogram(
    'pass_seconds',
    'Time that one scheduling pass took in the core.',
    [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60],
  );
  const commit = histogram('commit_seconds', 'Time that one commit took, retries included.', shortWaits);
  const commandWait = histogram('command_wait_seconds', 'Time that a command waited until a turn took it.', shortWaits);
  const dispatch = histogram(
    'dispatch_wait_seconds',
    'Time from the commit of an action until the first host was called for it.',
    [...shortWaits, 30, 60, 300],
  );
  const commitFailed = counter('commit_failures_total', 'Attempts to commit that failed, by kind.', ['kind']);
  const commands = counter('commands_total', 'Commands answered, by kind and outcome.', ['kind', 'outcome']);
  const events = counter('events_total', 'Events committed.');
  const notices = counter('notices_total', 'Notices committed, by kind.', ['kind']);
  const replayed = counter('events_replayed_total', 'Events read again from the database for subscribers.');
  const deleted = counter('events_deleted_total', 'Events deleted because they were older than the retention.');
  const expired = counter(
    'expired_total',
    'Leases, notices, idempotency keys, finished actions and forwarded commands deleted because they were older than their retention.',
    ['what'],
  );
  const actions = counter('actions_total', 'Actions on hosts, by kind and outcome.', ['kind', 'outcome']);
  const hostCalls = new Histogram({
    name: 'leasegraph_host_call_seconds',
    help: 'Time that calls of adapters took, by adapter, operation and outcome.',
    labelNames: ['adapter', 'operation', 'outcome'],
    buckets: [0.01, 0.05, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 300],
    registers,
  });
  const reloads = counter('core_reloads_total', 'How often the core was loaded anew from the database.');
  const skew = new Gauge({
    name: 'leasegraph_clock_skew_seconds',
    help: "The database's clock minus the machine's.",
    aggregator: 'max',
    registers,
  });
  const quarantined = new Gauge({
    name: 'leasegraph_quarantined_rows',
    help: 'Rows that made no sense when the site was loaded and were left out.',
    registers,
  });

  return {
    watch: (reader) => {
      read = reader;
    },
    pass: (seconds) => pass.observe(seconds),
    commandWaited: (seconds) => commandWait.observe(seconds),
    commit: (seconds) => commit.observe(seconds),
    commitFailed: (kind) => commitFailed.inc({ kind }),
    commands: (kind, outcome) => commands.inc({ kind, outcome }),
    events: (count) => events.inc(count),
    notice: (kind) => notices.inc({ kind }),
    replayed: (count) => replayed.inc(count),
    expired: (what, count) => {
      if (what === 'events') deleted.inc(count);
      else expired.inc({ what }, count);
    },
    action: (kind, outcome) => actions.inc({ kind, outcome }),
    dispatched: (seconds) => dispatch.observe(seconds),
    hostCall: ({ adapter, operation, outcome, seconds }) => hostCalls.observe({ adapter, operation, outcome }, seconds),
    skew: (seconds) => skew.set(seconds),
    quarantined: (rows) => quarantined.set(rows),
    reloaded: () => reloads.inc(),
  };
};
