import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { ActionTarget } from '../../src/core/index.ts';
import {
  type Bench,
  conformanceCases,
  firstConformanceLease,
  runCase,
  Skipped,
} from '../../src/enactment/conformance/index.ts';
import { LibvirtAdapter } from '../../src/enactment/libvirt/adapter.ts';
import { openHost } from '../../src/enactment/libvirt/host.ts';
import type { LibvirtOptions } from '../../src/enactment/libvirt/options.ts';
import type { PrivateDaemon } from '../../src/enactment/libvirt/private-daemon.ts';
import { stopTestDrivers } from '../../src/enactment/libvirt/test-driver.ts';
import { hostSite } from '../../src/enactment/site.ts';
import {
  type ActionResult,
  type Adapter,
  type HostNode,
  HostUnreachable,
  type LeaseFacts,
} from '../../src/engine/ports.ts';
import {
  carryOut,
  guestSays,
  libvirtNodes,
  missingPrograms,
  type Operation,
  powerOff,
  processOf,
  recordVirsh,
  writeGuestImage,
} from '../support/libvirt.ts';

const log = pino({ level: 'silent' });
const site = hostSite(
  'test',
  [1, 2].map((number) => ({ number, hostname: `node-${number}`, capacity: { CPU: 400, Memory: 4096 } })),
);
const [one, two] = site.nodes() as [HostNode, HostNode];

const folder = mkdtempSync(join(tmpdir(), 'leasegraph-libvirt-test-'));
// The daemons of a test that runs as root do not.
chmodSync(folder, 0o755);
const adapters: Adapter[] = [];
afterAll(async () => {
  await Promise.all(adapters.map((adapter) => adapter.close()));
  rmSync(folder, { recursive: true });
});

const open = (options: LibvirtOptions): LibvirtAdapter => {
  const adapter = new LibvirtAdapter(options, site, log);
  adapters.push(adapter);
  return adapter;
};

let lastAction = 0;
/** Carries an operation out, however long it takes. */
const does = (
  adapter: Adapter,
  verb: Operation,
  target: Partial<ActionTarget> = {},
  lease: LeaseFacts | undefined = undefined,
): Promise<ActionResult> => {
  lastAction += 1;
  return carryOut(adapter, verb, {
    actionId: lastAction,
    lease,
    target: {
      leaseId: 1,
      machine: 1,
      node: 1,
      toNode: null,
      capacity: { CPU: 100, Memory: 16 },
      image: { name: 'guest', sizeMb: 1 },
      ...target,
    },
  });
};
const done = expect.objectContaining({ status: 'done' });
const virshCalls = recordVirsh(folder);
afterAll(() => virshCalls.stop());

/** Several cases at once: they wait for hosts more than they work. */
const describeConcurrently = (
  title: string,
  makeBench: () => Promise<Bench>,
  isWanted: (name: string) => boolean = () => true,
): void => {
  describe(`${title}: conformance`, { concurrent: true }, () => {
    let bench: Bench;
    beforeAll(async () => {
      bench = await makeBench();
    });
    conformanceCases.forEach((each, index) => {
      if (!isWanted(each.name)) return;
      test(each.name, async ({ skip }) => {
        try {
          await runCase(bench, each, firstConformanceLease + index);
        } catch (error) {
          if (error instanceof Skipped) skip(error.message);
          throw error;
        }
      }, 600_000);
    });
  });
};

describe.skipIf(missingPrograms.length > 0)(
  `libvirt${missingPrograms.length > 0 ? ` (not installed: ${missingPrograms.join(', ')})` : ''}`,
  () => {
    let daemons: readonly PrivateDaemon[];
    let options: LibvirtOptions;
    beforeAll(async () => {
      ({ daemons, options } = await libvirtNodes(2, folder));
    });
    afterAll(async () => {
      for (const daemon of daemons) daemon.stop();
      await stopTestDrivers();
    });
    const daemonOf = (node: number): PrivateDaemon => daemons[node - 1] as PrivateDaemon;

    describeConcurrently('libvirt, QEMU', async () => ({
      name: 'libvirt, QEMU',
      nodes: [one, two],
      capacity: { CPU: 100, Memory: 16 },
      image: { name: 'guest', sizeMb: 1 },
      patience: 60_000,
      settleTime: 300_000,
      make: async (names) =>
        new LibvirtAdapter(
          {
            ...options,
            hosts: hostsOf(
              options,
              names.nodes().map(({ hostname }) => hostname),
            ),
          },
          names,
          log,
        ),
      stopMachine: (leaseId, machine, { number }) => powerOff(daemonOf(number), `lg-${leaseId}-${machine}`),
      provideImage: async ({ name }) => {
        if (/[/\0\n]|^\./.test(name)) return false;
        writeGuestImage(join(folder, name));
        return true;
      },
      holdSuspension: async (leaseId, machine, { number }) => {
        const name = `lg-${leaseId}-${machine}`;
        const pid = processOf(daemonOf(number), name);
        process.kill(pid, 'SIGSTOP');
        return {
          times: () => virshCalls.count('save', name),
          letGo: () => void process.kill(pid, 'SIGCONT'),
        };
      },
    }));

    // The other cases are tried on it by the command line (test/e2e/conformance.test.ts).
    describeConcurrently(
      'libvirt, test driver',
      async () => ({
        name: 'libvirt, test driver',
        nodes: [one, two],
        capacity: { CPU: 100, Memory: 64 },
        image: null,
        patience: 60_000,
        settleTime: 300_000,
        make: async (names) => new LibvirtAdapter(testDriver, names, log),
        stopMachine: async (leaseId, machine, node) => {
          // On the daemon that the adapter uses for the node.
          const { virsh } = await openHost(node, testDriver);
          await virsh.run(['shutdown', `lg-${leaseId}-${machine}`], 30_000, AbortSignal.timeout(120_000));
        },
      }),
      (name) => name.includes('stops by itself'),
    );

    test('memory survives suspension, a move to another host and resumption; a new start begins anew', async () => {
      const adapter = open(options);
      const lease = { leaseId: 11 };
      expect(await does(adapter, 'start', lease)).toEqual(done);
      const before = await guestSays(daemonOf(1), 'lg-11-1');
      expect(await does(adapter, 'suspend', lease)).toEqual(done);
      expect(await does(adapter, 'migrate', { ...lease, toNode: 2 })).toEqual(done);
      expect(existsSync(join(daemonOf(1).files, 'machines', 'lg-11-1'))).toBe(false);
      expect(await does(adapter, 'resume', { ...lease, node: 2 })).toEqual(done);
      const after = await guestSays(daemonOf(2), 'lg-11-1');
      expect(after.secret).toBe(before.secret);
      expect(after.count).toBeGreaterThan(before.count);

      expect(await does(adapter, 'destroy', { ...lease, node: 2 })).toEqual(done);
      expect(await does(adapter, 'start', { ...lease, node: 2 })).toEqual(done);
      expect((await guestSays(daemonOf(2), 'lg-11-1')).secret).not.toBe(before.secret);
      expect(await does(adapter, 'destroy', { ...lease, node: 2 })).toEqual(done);
      expect(readdirSync(join(daemonOf(2).files, 'machines')).filter((name) => name.includes('lg-11-'))).toEqual([]);
    });

    test('a machine that was saved while it was paused runs when it is resumed', async () => {
      const adapter = open(options);
      const lease = { leaseId: 18 };
      expect(await does(adapter, 'start', lease)).toEqual(done);
      const before = await guestSays(daemonOf(1), 'lg-18-1');
      expect(await does(adapter, 'suspend', lease)).toEqual(done);
      const memory = join(daemonOf(1).files, 'machines', 'lg-18-1', 'memory');
      const image = join(folder, 'paused.xml');
      const qemu = daemonOf(1).uri('qemu', '/session');
      writeFileSync(image, execFileSync('virsh', ['-c', qemu, 'save-image-dumpxml', memory]));
      execFileSync('virsh', ['-c', qemu, 'save-image-define', memory, image, '--paused']);
      expect(await does(adapter, 'resume', lease)).toEqual(done);
      expect((await guestSays(daemonOf(1), 'lg-18-1')).secret).toBe(before.secret);
      expect(await does(adapter, 'destroy', lease)).toEqual(done);
    });

    test('a guest is asked to power off, and destroyed when it does not within its time of grace', async () => {
      // Longer than the test may take: it ends when the guest is off.
      const adapter = open({ ...options, shutdownGrace: 3_600_000 });
      const lease = { leaseId: 12 };
      await does(adapter, 'start', lease);
      await guestSays(daemonOf(1), 'lg-12-1');
      expect(await does(adapter, 'shutdown', lease)).toEqual(done);

      // Without a disk there is no guest that could hear it.
      const deaf = open({ ...options, shutdownGrace: 1_000 });
      await does(deaf, 'start', { ...lease, image: null });
      const began = performance.now();
      expect(await does(deaf, 'shutdown', { ...lease, image: null })).toEqual(done);
      expect(performance.now() - began).toBeGreaterThan(1_000);
    });

    test('an image is brought to a host once, and the least recently used that no machine needs make room', async () => {
      for (const name of ['first', 'second', 'third']) writeGuestImage(join(folder, name));
      const adapter = open({ ...options, images: { repository: folder, format: 'raw', cacheSizeMb: 3 } });
      const cached = (): string[] =>
        readdirSync(join(daemonOf(1).files, 'images'))
          .filter((name) => ['first', 'second', 'third'].includes(name))
          .sort();
      const prepare = (leaseId: number, name: string) =>
        does(adapter, 'prepare', { leaseId, image: { name, sizeMb: 1 } });
      // The image `guest` is there as well, from the other tests; and used, or older.
      expect(await prepare(21, 'first')).toEqual(done);
      expect(await prepare(22, 'second')).toEqual(done);
      expect(await does(adapter, 'destroy', { leaseId: 22 })).toEqual(done);
      expect(await prepare(23, 'third')).toEqual(done);
      const small = open({ ...options, images: { repository: folder, format: 'raw', cacheSizeMb: 1 } });
      writeGuestImage(join(folder, 'fourth'));
      expect(await does(small, 'prepare', { leaseId: 24, image: { name: 'fourth', sizeMb: 1 } })).toEqual(done);
      // Of a lease that is prepared the base image stays.
      expect(cached()).toEqual(['first', 'third']);
      for (const leaseId of [21, 23, 24]) await does(adapter, 'destroy', { leaseId });
    });

    test('where the scheduler plans caches, hosts keep and evict what it does', async () => {
      for (const name of ['kept', 'used', 'evicted', 'brought']) writeGuestImage(join(folder, name));
      const planned = hostSite('test', [{ number: 1, hostname: 'node-1', capacity: { CPU: 400, Memory: 4096 } }]);
      // In a folder of its own, and with a limit of its own that does not count.
      const directory = join(daemonOf(1).files, 'planned');
      const hosts = { 'node-1': { ...options.hosts?.['node-1'], directory } };
      const images = { repository: folder, format: 'raw', cacheSizeMb: 1 } as const;
      const adapter = new LibvirtAdapter({ ...options, hosts, images, namePrefix: 'planned' }, planned, log);
      adapters.push(adapter);
      const cached = () => readdirSync(join(directory, 'images')).sort();
      const keep = (...names: readonly string[]) =>
        planned.setCachedImages(
          names.map((name) => ({ node: 1, image: { name, sizeMb: 1 }, timeout: null, users: [] })),
        );
      const brings = async (leaseId: number, name: string): Promise<void> => {
        expect(await does(adapter, 'prepare', { leaseId, image: { name, sizeMb: 1 } })).toEqual(done);
      };
      keep('kept', 'evicted');
      for (const [index, name] of ['kept', 'used', 'evicted'].entries()) await brings(index + 1, name);
      for (const leaseId of [1, 3]) await does(adapter, 'destroy', { leaseId });
      expect(cached()).toEqual(['evicted', 'kept', 'used']);
      // The plan gives one up, and its transfer brings another one. What a machine needs stays.
      keep('kept');
      await brings(4, 'brought');
      expect(cached()).toEqual(['brought', 'kept', 'used']);
      for (const leaseId of [2, 4]) await does(adapter, 'destroy', { leaseId });
      await brings(5, 'evicted');
      expect(cached()).toEqual(['evicted', 'kept']);
      await does(adapter, 'destroy', { leaseId: 5 });
    });

    test('cloud-init is told what the machine is and of which lease, whatever its owner calls it', async () => {
      const userData = join(folder, 'user-data');
      writeFileSync(
        userData,
        '#cloud-config\nfqdn: "{{name}}.{{node}}"\n{{#image}}image: "{{image}}"\n{{/image}}{{#end}}until: "{{end}}"\n{{/end}}motd: "{{leaseName}}"\n',
      );
      const adapter = open({ ...options, cloudInit: { userData } });
      const name = 'the "first": {x}\n- a\ttab\\ \u0007\u0085\u2028 – 日本語 🖥️ $(x) #';
      const lease = {
        ...{ name, owner: "o'hara <ada>", project: 3 },
        ...{ start: Date.UTC(2030, 0, 31, 8), end: Date.UTC(2030, 0, 31, 9) },
      };
      expect(await does(adapter, 'prepare', { leaseId: 32 }, lease)).toEqual(done);
      const read = (machine: string, file: string): unknown => {
        const seed = join(daemonOf(1).files, 'machines', machine, 'seed.iso');
        const text = execFileSync('isoinfo', ['-J', '-x', file, '-i', seed]).toString();
        return parse(text, { version: '1.1' });
      };
      expect(read('lg-32-1', '/user-data')).toEqual({
        ...{ fqdn: 'lg-32-1.node-1', image: 'guest', until: '2030-01-31T09:00:00Z', motd: name },
      });
      const { name: leaseName, owner } = lease;
      const facts = { lease: '32', machine: '1', node: 'node-1', image: 'guest', leaseName, owner };
      expect(read('lg-32-1', '/meta-data')).toEqual({
        ...{ 'instance-id': 'lg-32-1', 'local-hostname': 'lg-32-1' },
        leasegraph: { ...facts, project: '3', start: '2030-01-31T08:00:00Z', end: '2030-01-31T09:00:00Z' },
      });
      // Nothing is known of the lease, and there is no image.
      expect(await does(adapter, 'prepare', { leaseId: 35, image: null })).toEqual(done);
      expect(read('lg-35-1', '/user-data')).toEqual({ fqdn: 'lg-35-1.node-1', motd: '' });
      expect(read('lg-35-1', '/meta-data')).toMatchObject({
        leasegraph: { lease: '35', image: null, leaseName: null, owner: null, start: null, end: null },
      });
      for (const leaseId of [32, 35]) await does(adapter, 'destroy', { leaseId });
    });

    test('the built-in template starts, suspends and resumes a machine with a disk and a seed', async () => {
      const userData = join(folder, 'plain-user-data');
      writeFileSync(userData, '#cloud-config\n');
      const adapter = open({ ...options, template: null, cloudInit: { userData } });
      const lease = { leaseId: 34, capacity: { CPU: 150, Memory: 32 } };
      expect(await does(adapter, 'start', lease)).toEqual(done);
      expect(await does(adapter, 'suspend', lease)).toEqual(done);
      expect(await does(adapter, 'resume', lease)).toEqual(done);
      const uri = daemonOf(1).uri('qemu', '/session');
      const xml = execFileSync('virsh', ['-q', '-c', uri, 'dumpxml', '--inactive', 'lg-34-1']).toString();
      expect(xml).toMatch(/<memory unit='KiB'>32768<\/memory>/);
      expect(xml).toMatch(/<vcpu placement='static'>2<\/vcpu>/);
      expect(await does(adapter, 'destroy', lease)).toEqual(done);
    });

    test('a running machine is moved without a stop, where that is configured', async () => {
      const migrateUri = 'tcp://127.0.0.1';
      const hosts = Object.fromEntries(
        Object.entries(options.hosts ?? {}).map(([name, host]) => [name, { ...host, migrateUri }]),
      );
      const adapter = open({ ...options, hosts, liveMigration: true });
      const lease = { leaseId: 33 };
      await does(adapter, 'start', lease);
      const before = await guestSays(daemonOf(1), 'lg-33-1');
      expect(await does(adapter, 'migrate', { ...lease, toNode: 2 })).toEqual(done);
      const after = await guestSays(daemonOf(2), 'lg-33-1');
      expect(after.secret).toBe(before.secret);
      const signal = AbortSignal.timeout(120_000);
      expect(await adapter.inspect({ ...lease, machine: 1, node: 1 }, signal)).toBe('absent');
      expect(await adapter.inspect({ ...lease, machine: 1, node: 2 }, signal)).toBe('running');
      await does(adapter, 'destroy', { ...lease, node: 2 });
    });

    test('an image that is not there, or whose name is a path, fails its lease and leaves nothing', async () => {
      const adapter = open(options);
      const start = (name: string) => does(adapter, 'start', { leaseId: 31, image: { name, sizeMb: 1 } });
      expect(await start('none')).toMatchObject({
        status: 'failed',
        reason: `there is no image none in ${folder}`,
      });
      expect(await start('../guest')).toMatchObject({
        status: 'failed',
        reason: expect.stringContaining('is no name of an image'),
      });
      expect(await adapter.inspect({ leaseId: 31, machine: 1, node: 1 }, AbortSignal.timeout(120_000))).toBe('absent');
      expect(existsSync(join(daemonOf(1).files, 'machines', 'lg-31-1'))).toBe(false);
    });

    test('a host whose libvirt does not answer is unreachable, and holds up no other', async () => {
      const hosts = {
        ...options.hosts,
        'node-2': { ...options.hosts?.['node-2'], uri: `qemu+unix:///session?socket=${folder}/none` },
      };
      const adapter = open({ ...options, hosts });
      const signal = AbortSignal.timeout(120_000);
      await expect(adapter.inspect({ leaseId: 1, machine: 1, node: 2 }, signal)).rejects.toThrow(HostUnreachable);
      await expect(does(adapter, 'start', { leaseId: 41, node: 2 })).rejects.toThrow(HostUnreachable);
      expect(await adapter.inspect({ leaseId: 41, machine: 1, node: 1 }, signal)).toBe('absent');
    });

    test('a host whose address was changed is reached there', async () => {
      const nodes = hostSite('test', [{ number: 1, hostname: 'node', address: 'none', capacity: {} }]);
      const uri = `qemu+unix:///session?socket=${join(daemonOf(1).folder, 'run')}/%h/libvirt-sock`;
      const adapter = new LibvirtAdapter({ ...options, uri, hosts: {} }, nodes, log);
      adapters.push(adapter);
      const inspect = () => adapter.inspect({ leaseId: 1, machine: 1, node: 1 }, AbortSignal.timeout(120_000));
      await expect(inspect()).rejects.toThrow(HostUnreachable);
      nodes.setNodes([{ number: 1, hostname: 'node', address: 'libvirt', capacity: {} }]);
      expect(await inspect()).toBe('absent');
    });

    test('a machine whose process is killed is lost, and can be removed or started anew', async () => {
      const adapter = open(options);
      const lease = { leaseId: 53 };
      const inspect = () => adapter.inspect({ ...lease, machine: 1, node: 1 }, AbortSignal.timeout(120_000));
      await does(adapter, 'start', lease);
      process.kill(processOf(daemonOf(1), 'lg-53-1'), 'SIGKILL');
      while ((await inspect()) === 'running') await sleep(50);
      expect(await inspect()).toBe('absent');
      expect(await does(adapter, 'start', lease)).toEqual(done);
      expect(await inspect()).toBe('running');
      await does(adapter, 'destroy', lease);
    });

    test('domains of others are left alone', async () => {
      const mine = open(options);
      const other = open({ ...options, namePrefix: 'other' });
      await does(mine, 'start', { leaseId: 51, image: null });
      expect((await other.list(1, AbortSignal.timeout(120_000))).filter(({ leaseId }) => leaseId === 51)).toEqual([]);
      expect((await mine.list(1, AbortSignal.timeout(120_000))).filter(({ leaseId }) => leaseId === 51)).toEqual([
        { leaseId: 51, machine: 1, node: 1, status: 'running' },
      ]);
      await does(mine, 'destroy', { leaseId: 51 });
    });
  },
);

/** The hosts of node-1 and node-2, whatever they are called. */
function hostsOf({ hosts = {} }: LibvirtOptions, names: readonly string[]): NonNullable<LibvirtOptions['hosts']> {
  return Object.fromEntries(names.map((name, index) => [name, hosts[`node-${index + 1}`] ?? {}]));
}

const testDriver: LibvirtOptions = {
  template: null,
  uri: 'test:///default',
  directory: '/nonexistent',
  namePrefix: 'lg',
  domainType: 'test',
  network: null,
  shutdownGrace: 1_000,
  timeLimit: 240_000,
  liveMigration: false,
  images: null,
  cloudInit: null,
};
