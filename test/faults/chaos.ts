/** One fault after the other, each repaired before the next. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from './random.ts';
import type { World } from './world.ts';

interface Fault {
  readonly name: string;
  readonly weight: number;
  carryOut(world: World, random: Random): Promise<void>;
}

/** Kills a server at a random time: during its start, or after a number of answers. */
const kill: Fault['carryOut'] = async ({ servers, load }, random) => {
  const server = random.pick(servers);
  if (random.chance(0.8)) {
    await server.url(AbortSignal.timeout(60_000));
    for (let answers = random.between(1, 20); answers > 0; answers -= 1) await load.progress();
    await sleep(random.between(0, 20));
  } else await sleep(random.between(0, 1_000));
  await server.kill();
};

const listens = (sent: string) => sent.includes('LISTEN leasegraph_');
const writes = (sent: string) => sent.includes('pg_try_advisory_lock');

const onBoth: readonly Fault[] = [
  { name: 'kill -9', weight: 12, carryOut: kill },
  {
    name: 'subscribers leave and come back',
    weight: 2,
    carryOut: async ({ subscribers }, random) => random.pick(subscribers).reconnect(),
  },
];

const onServer: readonly Fault[] = [
  ...onBoth,
  {
    name: 'all connections to the database are cut',
    weight: 2,
    carryOut: async ({ proxy }) => proxy?.cut(),
  },
  {
    name: 'the connections that listen are cut',
    weight: 2,
    carryOut: async ({ proxy }) => proxy?.cut(listens),
  },
  {
    name: 'the connections that listen are half-open',
    weight: 1,
    carryOut: async ({ proxy, load }, random) => {
      proxy?.pause(listens);
      await sleep(random.between(0, 1_500));
      await load.progress();
      proxy?.resume();
    },
  },
  {
    name: "the writer's connection is half-open",
    weight: 1,
    carryOut: async ({ proxy }, random) => {
      proxy?.pause(writes);
      await sleep(random.between(0, 2_000));
      proxy?.resume();
    },
  },
  {
    name: 'connections are cut at a commit',
    weight: 5,
    carryOut: async ({ proxy }, random) => {
      if (!proxy) return;
      const fate = random.chance(0.7) ? 'after' : 'before';
      await new Promise<void>((resolve) => {
        proxy.onSend = (piece) => {
          if (!piece.includes('leasegraph_commit')) return null;
          proxy.onSend = null;
          resolve();
          return fate;
        };
      });
    },
  },
  {
    name: 'the database server is stopped and started',
    weight: 1,
    carryOut: async (world, random) => {
      await world.postgres?.stop(random.pick(['fast', 'immediate']));
      if (random.chance(0.3)) await random.pick(world.servers).kill();
      await sleep(random.between(0, 1_500));
      await world.postgres?.start();
    },
  },
  {
    name: 'a server is paused',
    weight: 1,
    carryOut: async ({ servers }, random) => {
      const server = random.pick(servers);
      server.signal('SIGSTOP');
      await sleep(random.between(0, 2_000));
      server.signal('SIGCONT');
    },
  },
];

export interface ChaosOptions {
  readonly kills: number;
  /** Called after each fault. */
  readonly report?: (fault: string, kills: number) => void;
}

/** Continues until servers have been killed the given number of times. */
export const chaos = async (world: World, { kills, report }: ChaosOptions): Promise<Record<string, number>> => {
  const faults = world.postgres ? onServer : onBoth;
  const random = world.random.fork();
  const counts: Record<string, number> = {};
  while ((counts['kill -9'] ?? 0) < kills) {
    const fault = random.pick(faults.flatMap((each) => Array.from({ length: each.weight }, () => each)));
    await fault.carryOut(world, random);
    counts[fault.name] = (counts[fault.name] ?? 0) + 1;
    report?.(fault.name, counts['kill -9'] ?? 0);
    if (fault.name !== 'kill -9') await world.load.progress();
  }
  return counts;
};
