/** The thread of the engine: core, commits, timers and calls of hosts. Nothing here waits for readers. */
import { parentPort, workerData } from 'node:worker_threads';
import { Registry } from 'prom-client';
import { CommandError, type CommandInput, type EngineStatus, SiteClock } from '../engine/index.ts';
import { createLogger } from '../server/logging.ts';
import { measureEventLoop } from './event-loop.ts';
import { type FromEngine, plainError, type ThreadData, type ToEngine } from './messages.ts';
import { openEngine } from './open-engine.ts';
import { startTracing } from './tracing.ts';

/** How often the status is looked at, and how often it is sent although it has not changed (ms). */
const statusInterval = 50;
const heartbeat = 1_000;

const port = parentPort;
if (port === null) throw new Error('the engine thread needs a parent');
const post = (message: FromEngine): void => port.postMessage(message);
const { config } = workerData as ThreadData;

/** Also tells the main thread, which shows the same time. */
class ReportedClock extends SiteClock {
  override resume(state: Parameters<SiteClock['resume']>[0]): void {
    super.resume(state);
    post({ type: 'clock', ...state });
  }
}

async function run(): Promise<void> {
  const log = await createLogger(config.logLevel);
  const registry = new Registry();
  measureEventLoop(registry, 'engine');
  const tracing = await startTracing('engine', log);
  const opened = await openEngine(config, {
    log,
    tracing,
    registry,
    clock: new ReportedClock(config.clock.speed),
    onCommitted: (events, last) => post(events ? { type: 'events', events } : { type: 'skipped', sequence: last }),
    onNotices: (notices, last) =>
      post(notices ? { type: 'notices', notices } : { type: 'notices-skipped', sequence: last }),
    onFatal: (error) => post({ type: 'fatal', error: plainError(error) }),
  });
  const { engine, site, store } = opened;
  const watching = watchStatus(() => engine.status());

  port?.on('message', (message: ToEngine) => {
    if (message.type === 'submit') {
      const { id, kind, input, options } = message;
      engine.submit(kind, input as CommandInput<typeof kind>, options).then(
        (result) => post({ type: 'result', id, result }),
        (error: unknown) => post({ type: 'refused', id, error: refusalOf(error) }),
      );
    } else if (message.type === 'metrics') {
      void registry.getMetricsAsJSON().then((metrics) => post({ type: 'metrics', id: message.id, metrics }));
    } else {
      clearInterval(watching);
      void opened
        .close()
        .then(() => tracing?.close())
        .finally(() => port?.close());
    }
  });
  post({
    type: 'started',
    engine: {
      site,
      kind: store.kind,
      databaseUrl: store.url,
      lastEvent: engine.lastEvent(),
      lastNotice: engine.notices.last,
      status: engine.status(),
    },
  });
}

function watchStatus(read: () => EngineStatus): NodeJS.Timeout {
  let sent = '';
  let sentAt = 0;
  return setInterval(() => {
    const status = read();
    const text = JSON.stringify(status);
    const now = performance.now();
    if (text === sent && now - sentAt < heartbeat) return;
    sent = text;
    sentAt = now;
    post({ type: 'status', status });
  }, statusInterval);
}

function refusalOf(error: unknown) {
  if (!(error instanceof CommandError)) throw error;
  const { code, message, path, retryable } = error;
  return { code, message, path, retryable };
}

run().catch((error: unknown) => {
  post({ type: 'failed', error: plainError(error) });
  // What a policy's module has begun must not keep the thread.
  setImmediate(() => process.exit(1));
});
