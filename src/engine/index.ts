import { Engine } from './engine.ts';
import type { EngineOptions } from './options.ts';

export { canonicalJson } from './canonical-json.ts';
export { type Clock, machineTime, SiteClock, type TimeSource } from './clock.ts';
export type { Refusal } from './commands/answer.ts';
export { type Core, type RestoreCore, schedulerWith } from './core.ts';
export { Engine } from './engine.ts';
export type { DispatchLimits } from './hosts/host-calls.ts';
export { defaultLimits, type EngineLimits } from './limits.ts';
export { createEngineMetrics, type EngineMetrics, noMetrics } from './metrics.ts';
export type { EngineOptions } from './options.ts';
export * from './ports.ts';
export { noticesOf, Publisher } from './publisher.ts';
export { type Examined, examine } from './recovery.ts';
export { type Fault, type FaultCode, type Verified, verify } from './verify.ts';

/** Starts an engine as writer or standby. Throws StoreError when the database cannot be used. */
export async function createEngine(options: EngineOptions): Promise<Engine> {
  const engine = new Engine(options);
  await engine.start();
  return engine;
}
