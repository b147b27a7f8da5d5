/** Listens to libvirt for domains that stop. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { MachinePlace } from '../../engine/ports.ts';
import { machineOf } from './domain.ts';
import type { Host } from './host.ts';
import { virshEnvironment } from './virsh.ts';

/** Pause before listening to a host is tried again (ms). */
const retryInterval = 5_000;

/** Listens until the signal aborts. Reconnects to hosts that do not answer. Never rejects. */
export async function listen(
  host: Host,
  prefix: string,
  onChange: (place: MachinePlace) => void,
  log: Logger,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const child = spawn('virsh', ['-q', '-c', host.uri, 'event', '--event', 'lifecycle', '--loop'], {
      env: virshEnvironment(),
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const stop = (): void => void child.kill();
    signal.addEventListener('abort', stop, { once: true });
    createInterface({ input: child.stdout }).on('line', (line) => {
      const [, name = ''] = /for domain '([^']+)': Stopped /.exec(line) ?? [];
      const machine = machineOf(prefix, name);
      if (machine && !signal.aborted) onChange({ ...machine, node: host.node.number });
    });
    await new Promise<void>((resolve) => {
      child.once('error', () => resolve());
      child.once('close', () => resolve());
    });
    signal.removeEventListener('abort', stop);
    if (signal.aborted) return;
    log.debug({ node: host.node.number }, 'libvirt does not tell of its domains; trying again');
    await sleep(retryInterval, undefined, { signal }).catch(() => {});
  }
}
