/** libvirt daemons of a test's own, and a guest that tells whether its memory is what it was. */
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createConnection, type Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import type { LibvirtOptions } from '../../src/enactment/libvirt/options.ts';
import { PrivateDaemon } from '../../src/enactment/libvirt/private-daemon.ts';
import type { ActionCall, ActionResult, Adapter } from '../../src/engine/ports.ts';

const needed = ['virsh', 'libvirtd', 'setpriv', 'qemu-img', 'qemu-system-x86_64', 'rsync', 'genisoimage'];

/** Programs that are not installed: without them the tests of real domains are skipped. */
export const missingPrograms = needed.filter(
  (program) => spawnSync('which', [program], { stdio: 'ignore' }).status !== 0,
);

/** What guest/boot.s assembles to, without the zeros after it. */
const bootCode =
  '+jHAjtiO0LwAfLoCBrgAAe8PMWajAAVmxwYEBQAAAAD7ZqEABehCALAg6FkAZqEEBeg2ALAK6E0AZv8GBAW7AgD0ug' +
  'AG7fbEAXUVuv0D7KgBdAi6+APsPHF0BUt14+vBugQGuAAg7/Tr/bkIAGbBwARmUCQPBDA8OXYCBCfoBgBmWEl16MNS' +
  'ULr9A+yoIHT4WLr4A+5aww==';

/** A raw image that boots to the guest. */
export function writeGuestImage(path: string): void {
  const image = Buffer.alloc(1_048_576);
  Buffer.from(bootCode, 'base64').copy(image);
  image.writeUInt16LE(0xaa55, 510);
  writeFileSync(path, image);
}

/** Small machines with a serial port that the test talks to; software emulation. */
export const guestTemplate = `<domain type='qemu'>
  <name>{{name}}</name>
  <uuid>{{uuid}}</uuid>
  <memory unit='MiB'>16</memory>
  <vcpu>1</vcpu>
  <os><type arch='x86_64' machine='pc'>hvm</type></os>
  <features><acpi/></features>
  <on_poweroff>destroy</on_poweroff>
  <devices>
    <controller type='usb' model='none'/>
    <memballoon model='none'/>
    {{#disk}}<disk type='file' device='disk'>
      <driver name='qemu' type='qcow2'/>
      <source file='{{disk}}'/>
      <target dev='vda' bus='virtio'/>
    </disk>{{/disk}}
    {{#seed}}<disk type='file' device='cdrom'>
      <source file='{{seed}}'/>
      <target dev='hdc' bus='ide'/>
    </disk>{{/seed}}
    <serial type='unix'><source mode='bind' path='{{folder}}/serial'/></serial>
  </devices>
</domain>
`;

/**
 * Each of several nodes on a daemon of its own. `folder` holds the template and the repository with the image `guest`.
 */
export async function libvirtNodes(
  count: number,
  folder: string,
): Promise<{ readonly daemons: readonly PrivateDaemon[]; readonly options: LibvirtOptions }> {
  const daemons = await Promise.all(Array.from({ length: count }, () => PrivateDaemon.start()));
  const template = join(folder, 'guest.xml');
  writeFileSync(template, guestTemplate);
  writeGuestImage(join(folder, 'guest'));
  const hosts = daemons.map((daemon, index) => [
    `node-${index + 1}`,
    { uri: daemon.uri('qemu', '/session'), directory: daemon.files },
  ]);
  const options: LibvirtOptions = {
    uri: 'qemu:///session',
    directory: '/nonexistent',
    via: PrivateDaemon.via,
    hosts: Object.fromEntries(hosts),
    namePrefix: 'lg',
    template,
    domainType: 'qemu',
    network: null,
    shutdownGrace: 10_000,
    timeLimit: 240_000,
    liveMigration: false,
    images: { repository: folder, format: 'raw', cacheSizeMb: null },
    cloudInit: null,
  };
  return { daemons, options };
}

export type Operation = 'prepare' | 'start' | 'shutdown' | 'suspend' | 'resume' | 'migrate' | 'destroy';

/** Makes a call again until its work has come to an end. */
export async function carryOut(
  adapter: Adapter,
  operation: Operation,
  call: Pick<ActionCall, 'actionId' | 'target' | 'lease'>,
): Promise<ActionResult> {
  for (;;) {
    const signal = AbortSignal.timeout(240_000);
    const result = await adapter[operation]({ ...call, signal, deadline: null });
    if (result.status !== 'pending') return result;
  }
}

export interface GuestSays {
  /** What only its memory knows. */
  readonly secret: string;
  readonly count: number;
}

/** How long a machine has to come up, or to go: only what hangs takes that long. */
const guestLimit = 240_000;

/** Connects to a machine's serial port as soon as there is one. */
async function connected(daemon: PrivateDaemon, name: string): Promise<Socket> {
  const path = join(daemon.files, 'machines', name, 'serial');
  for (const until = Date.now() + guestLimit; ; await sleep(100)) {
    const socket = createConnection(path);
    try {
      await once(socket, 'connect');
      // A guest that powers off may reset the connection. It closes then, too.
      socket.on('error', () => {});
      return socket;
    } catch (error) {
      if (Date.now() > until) throw new Error(`${name} has no serial port: ${error}`);
    }
  }
}

/** The number of a machine's process, as libvirt notes it. */
export function processOf(daemon: PrivateDaemon, name: string): number {
  return Number(readFileSync(join(daemon.folder, 'run', 'libvirt', 'qemu', 'run', `${name}.pid`), 'utf8'));
}

/** The next whole line that the guest writes. */
export async function guestSays(daemon: PrivateDaemon, name: string): Promise<GuestSays> {
  const socket = await connected(daemon, name);
  const timer = setTimeout(() => socket.destroy(), guestLimit);
  try {
    for await (const line of createInterface({ input: socket })) {
      const [, secret = '', count = ''] = /^([0-9a-f]{8}) ([0-9a-f]{8})$/.exec(line) ?? [];
      if (secret !== '') return { secret, count: Number.parseInt(count, 16) };
    }
    throw new Error(`${name} says nothing`);
  } finally {
    clearTimeout(timer);
    socket.destroy();
  }
}

/** The guest powers off by itself. */
export async function powerOff(daemon: PrivateDaemon, name: string): Promise<void> {
  // It has to run before it can hear.
  await guestSays(daemon, name);
  const socket = await connected(daemon, name);
  // What it still says has to be read: a socket with unread data does not close.
  socket.resume();
  const closed = new Promise<true>((resolve) => socket.once('close', () => resolve(true)));
  for (const until = Date.now() + guestLimit; Date.now() < until; ) {
    socket.write('q');
    // The guest looks for it all the time. What is sent while QEMU changes over from another client may be lost.
    if (await Promise.race([closed, sleep(1_000, false)])) return;
  }
  socket.destroy();
  throw new Error(`${name} does not power off`);
}

/** Records what virsh is called with, from now on: a program of its name comes before it. */
export function recordVirsh(folder: string): {
  count(command: string, domain: string): number;
  stop(): void;
} {
  const bin = join(folder, 'recording');
  const calls = join(bin, 'calls');
  const path = process.env.PATH ?? '';
  mkdirSync(bin);
  writeFileSync(join(bin, 'virsh'), `#!/bin/sh\nPATH="$\{PATH#*:}"\necho "$*" >>'${calls}'\nexec virsh "$@"\n`, {
    mode: 0o755,
  });
  process.env.PATH = `${bin}:${path}`;
  return {
    count: (command, domain) => {
      const lines = existsSync(calls) ? readFileSync(calls, 'utf8').split('\n') : [];
      return lines.filter((line) => line.includes(` ${command} --domain ${domain} `)).length;
    },
    stop: () => {
      process.env.PATH = path;
    },
  };
}
