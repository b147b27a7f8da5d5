import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { Gauge, type Registry } from 'prom-client';

const quantiles = [0.5, 0.99, 1];
/** Milliseconds between two looks at the delay; what is measured is how much longer they take. */
const resolution = 10;

/** Measures how long the event loop of this thread keeps others waiting, since the metrics were last read. */
export function measureEventLoop(registry: Registry, thread: string): void {
  const registers = [registry];
  const delay = monitorEventLoopDelay({ resolution });
  delay.enable();
  new Gauge({
    name: 'leasegraph_event_loop_delay_seconds',
    help: 'How late the event loop of a thread was since the last scrape, by quantile.',
    labelNames: ['thread', 'quantile'],
    registers,
    collect() {
      for (const quantile of quantiles) {
        const late = quantile === 1 ? delay.max : delay.percentile(quantile * 100);
        this.set({ thread, quantile: String(quantile) }, Math.max(0, late / 1e9 - resolution / 1e3));
      }
      delay.reset();
    },
  });
  let last = performance.eventLoopUtilization();
  new Gauge({
    name: 'leasegraph_event_loop_utilization',
    help: 'Share of the time since the last scrape in which the event loop of a thread was busy.',
    labelNames: ['thread'],
    registers,
    collect() {
      const now = performance.eventLoopUtilization();
      this.set({ thread }, performance.eventLoopUtilization(now, last).utilization);
      last = now;
    },
  });
}
