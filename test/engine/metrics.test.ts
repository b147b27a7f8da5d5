import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { createEngineMetrics } from '../../src/engine/metrics.ts';
import { bestEffort, Harness, hours, principal, settle } from '../support/engine-harness.ts';

test('what happens is measured', async () => {
  await using harness = new Harness({ nodes: 1 });
  const registry = new Registry();
  const { engine, adapter } = await harness.start({ engine: { metrics: createEngineMetrics(registry) } });
  adapter.answer = async (_what, { target }) =>
    target.leaseId === 1 ? { status: 'failed', reason: 'no' } : { status: 'done' };
  const subscription = engine.events({});
  void subscription.next();
  for (let count = 0; count < 4; count += 1) {
    await engine.requestLease(bestEffort(hours(1)), { principal });
  }
  await engine.requestLease(bestEffort(-1), { principal }).catch(() => {});
  await settle();
  const lines = (await registry.metrics()).split('\n');
  for (const line of [
    'leasegraph_role{role="writer"} 1',
    'leasegraph_role{role="standby"} 0',
    'leasegraph_writer_epoch 1',
    'leasegraph_ready 1',
    'leasegraph_live_leases 3',
    'leasegraph_queue_length 1',
    'leasegraph_subscribers 1',
    'leasegraph_commands_total{kind="request",outcome="accepted"} 4',
    'leasegraph_commands_total{kind="request",outcome="refused"} 1',
    'leasegraph_actions_total{kind="START",outcome="failed"} 1',
    'leasegraph_actions_total{kind="START",outcome="succeeded"} 1',
    'leasegraph_clock_skew_seconds 0',
    'leasegraph_quarantined_rows 0',
    `leasegraph_events_total ${harness.database.events.length}`,
    `leasegraph_last_event_sequence ${harness.database.events.length}`,
    `leasegraph_subscriber_lag ${harness.database.events.length - 1}`,
    `leasegraph_commit_seconds_count ${harness.database.commits}`,
  ]) {
    expect(lines).toContain(line);
  }
  await engine.stop();
  expect(await registry.metrics()).toContain('leasegraph_role{role="stopped"} 1');
});
