/** Daemons for libvirt's test driver, whose domains exist in memory only. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { HostUnreachable } from '../../engine/ports.ts';
import { PrivateDaemon } from './private-daemon.ts';
import { virshEnvironment } from './virsh.ts';

export interface TestDriver {
  readonly daemon: PrivateDaemon;
  readonly uri: string;
}

/** Daemons by URI and node. Domains live as long as their daemon. */
const drivers = new Map<string, Promise<TestDriver>>();

/** Returns the daemon of a node and starts it at first use. Throws if it does not start. */
export function testDriver(uri: string, node: number): Promise<TestDriver> {
  const key = `${uri} ${node}`;
  let driver = drivers.get(key);
  if (!driver) {
    driver = start(new URL(uri).pathname);
    drivers.set(key, driver);
    // The next call tries again.
    driver.catch(() => drivers.delete(key));
  }
  return driver;
}

/** Stops all daemons and deletes their folders before this process ends. */
export async function stopTestDrivers(): Promise<void> {
  const started = await Promise.allSettled(drivers.values());
  drivers.clear();
  for (const each of started) if (each.status === 'fulfilled') each.value.daemon.stop();
}

async function start(path: string): Promise<TestDriver> {
  const daemon = await PrivateDaemon.start();
  const uri = daemon.uri('test', path);
  try {
    await keepConnected(uri);
  } catch (error) {
    daemon.stop();
    throw error;
  }
  return { daemon, uri };
}

/** Keeps a connection open, since the driver drops its domains without one. Resolves once connected. */
async function keepConnected(uri: string): Promise<void> {
  const child = spawn('virsh', ['-q', '-c', uri], {
    env: virshEnvironment(),
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const ended = new Promise<never>((_, reject) => {
    const fail = (): void => reject(new HostUnreachable(`${uri}: virsh does not stay connected`));
    child.once('error', fail);
    child.once('exit', fail);
  });
  child.stdin.on('error', () => {});
  // It answers once it is connected.
  child.stdin.write('uri\n');
  await Promise.race([once(child.stdout, 'data'), ended]);
  ended.catch(() => {});
  child.stdout.resume();
  child.unref();
  for (const stream of [child.stdin, child.stdout]) (stream as Socket).unref();
}
