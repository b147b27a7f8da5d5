/** libvirt on two hosts that are reached through ssh: each with an ssh server of its own, on a port of its own. */
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ActionTarget } from '../../src/core/index.ts';
import { type Bench, conformanceCases, firstConformanceLease, runCase } from '../../src/enactment/conformance/index.ts';
import { LibvirtAdapter } from '../../src/enactment/libvirt/adapter.ts';
import type { LibvirtOptions } from '../../src/enactment/libvirt/options.ts';
import { PrivateDaemon } from '../../src/enactment/libvirt/private-daemon.ts';
import { sshOf } from '../../src/enactment/libvirt/ssh.ts';
import { hostSite } from '../../src/enactment/site.ts';
import { type ActionResult, type HostNode, HostUnreachable } from '../../src/engine/ports.ts';
import { carryOut, guestSays, libvirtNodes, missingPrograms, type Operation } from '../support/libvirt.ts';
import { type KeyPair, makeKey, missingSshPrograms, SshServer } from '../support/sshd.ts';

const common = ['-o', 'BatchMode=yes', '-o', 'ConnectTimeout=10'];

describe('what a URI says of ssh', () => {
  test.each([
    ['qemu:///system', null],
    ['qemu+unix:///session?socket=/run/socket', null],
    ['qemu+tls://host1/system?keyfile=/key', null],
    ['qemu+ssh://host1/system', ['ssh', ...common, '--', 'host1']],
    ['qemu+ssh://root@host1:2222/system', ['ssh', ...common, '-p', '2222', '--', 'root@host1']],
    ['qemu+libssh2://root@[::1]/system', ['ssh', ...common, '--', 'root@::1']],
    [
      'qemu+ssh://root@host1/system?keyfile=/keys/a%20key+1&no_verify=1&socket=/run/socket',
      ['ssh', ...common, '-i', '/keys/a key+1', '-o', 'StrictHostKeyChecking=no', '--', 'root@host1'],
    ],
    ['qemu+ssh://host1/system?command=/opt/bin/ssh&no_verify=0', ['/opt/bin/ssh', ...common, '--', 'host1']],
    [
      'qemu+libssh://host1/system?known_hosts=/etc/"known"%20hosts&known_hosts_verify=auto',
      [
        ...['ssh', ...common, '-o', 'UserKnownHostsFile="/etc/\\"known\\" hosts"'],
        ...['-o', 'StrictHostKeyChecking=accept-new', '--', 'host1'],
      ],
    ],
  ])('%s', (uri, command) => {
    expect(sshOf(uri)?.command ?? null).toEqual(command);
  });

  test('is handed to rsync as one text, which takes it apart at spaces that are not between quotes', () => {
    const ssh = sshOf("qemu+ssh://root@[::1]:2222/system?keyfile=/o'neil's%20key&command=/opt/bin/ssh");
    const options = `-o BatchMode=yes -o ConnectTimeout=10 -p 2222 -i '/o''neil''s key'`;
    expect(ssh).toMatchObject({
      host: 'root@[::1]',
      rsyncShell: `/opt/bin/ssh ${options}`,
      rsyncShellElsewhere: `ssh ${options}`,
    });
  });
});

const missing = [...missingPrograms, ...missingSshPrograms];

// Several at once: they wait for hosts more than they work.
describe.skipIf(missing.length > 0)(
  `libvirt through ssh${missing.length > 0 ? ` (not installed: ${missing.join(', ')})` : ''}`,
  { concurrent: true },
  () => {
    const log = pino({ level: 'silent' });
    const site = hostSite(
      'test',
      [1, 2].map((number) => ({ number, hostname: `node-${number}`, capacity: { CPU: 400, Memory: 4096 } })),
    );
    const [one, two] = site.nodes() as [HostNode, HostNode];
    const folder = mkdtempSync(join(tmpdir(), 'leasegraph-libvirt-ssh-'));
    let daemons: readonly PrivateDaemon[] = [];
    let servers: readonly SshServer[] = [];
    let options: LibvirtOptions;
    let uriOf: (node: number, key: KeyPair) => string;

    beforeAll(async () => {
      // The daemons of a test that runs as root do not.
      chmodSync(folder, 0o755);
      const libvirt = await libvirtNodes(2, folder);
      daemons = libvirt.daemons;
      // Where a shell took the words apart, the key would not be found.
      const keys = join(folder, "o'neil's keys; $(touch trap)");
      mkdirSync(keys, { mode: 0o755 });
      const key = makeKey(keys, 'key', PrivateDaemon.owner);
      servers = await Promise.all(
        daemons.map((_, index) => {
          const own = join(folder, `sshd-${index}`);
          mkdirSync(own);
          return SshServer.start({ folder: own, key, via: PrivateDaemon.via });
        }),
      );
      uriOf = (node, { file }) => {
        const { port, user } = servers[node - 1] as SshServer;
        const parameters = { keyfile: file, no_verify: '1', socket: daemons[node - 1]?.socket ?? '' };
        const search = Object.entries(parameters).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
        return `qemu+ssh://${user}@127.0.0.1:${port}/session?${search.join('&')}`;
      };
      const { via: _via, ...others } = libvirt.options;
      const hosts = Object.fromEntries(
        Object.entries(libvirt.options.hosts ?? {}).map(([name, host], index) => [
          name,
          { ...host, uri: uriOf(index + 1, key) },
        ]),
      );
      options = { ...others, hosts };
    });
    afterAll(() => {
      for (const server of servers) server.stop();
      for (const daemon of daemons) daemon.stop();
      rmSync(folder, { recursive: true });
    });

    /** Folders of a lease's machines. */
    const foldersOn = (node: number, lease: number): string[] =>
      readdirSync(join((daemons[node - 1] as PrivateDaemon).files, 'machines')).filter((name) =>
        name.startsWith(`lg-${lease}-`),
      );

    const bench: Bench = {
      name: 'libvirt through ssh',
      nodes: [one, two],
      capacity: { CPU: 100, Memory: 16 },
      image: { name: 'guest', sizeMb: 1 },
      patience: 60_000,
      settleTime: 300_000,
      make: async (names) => {
        const hosts = Object.values(options.hosts ?? {});
        const named = names.nodes().map(({ hostname }, index) => [hostname, hosts[index] ?? {}]);
        return new LibvirtAdapter({ ...options, hosts: Object.fromEntries(named) }, names, log);
      },
    };
    // What concerns hosts, and the shell that ssh starts there.
    const chosen = [
      'a machine goes through all its states, and inspect reports each of them',
      'a prepared machine can be moved, and starts on the other node',
      'hostnames, labels and resource types are data',
    ];
    test.each(chosen)(
      'conformance: %s',
      async (name) => {
        const index = conformanceCases.findIndex((each) => each.name === name);
        await runCase(
          bench,
          conformanceCases[index] as (typeof conformanceCases)[number],
          firstConformanceLease + index,
        );
      },
      600_000,
    );

    test('an image is brought to a host, and a saved memory to another host, with the key and the port of the URI', async () => {
      const adapter = new LibvirtAdapter(options, site, log);
      let lastAction = 0;
      const does = (verb: Operation, target: Partial<ActionTarget> = {}): Promise<ActionResult> => {
        lastAction += 1;
        const place = { leaseId: 11, machine: 1, node: 1, toNode: null };
        const asked = { capacity: bench.capacity, image: bench.image };
        return carryOut(adapter, verb, { actionId: lastAction, target: { ...place, ...asked, ...target } });
      };
      const done = expect.objectContaining({ status: 'done' });
      try {
        expect(await does('start')).toEqual(done);
        const before = await guestSays(daemons[0] as PrivateDaemon, 'lg-11-1');
        expect(await does('suspend')).toEqual(done);
        expect(await does('migrate', { toNode: 2 })).toEqual(done);
        expect(foldersOn(1, 11)).toEqual([]);
        expect(await does('resume', { node: 2 })).toEqual(done);
        const after = await guestSays(daemons[1] as PrivateDaemon, 'lg-11-1');
        expect(after.secret).toBe(before.secret);
        expect(await does('destroy', { node: 2 })).toEqual(done);
        expect(foldersOn(2, 11)).toEqual([]);
      } finally {
        await adapter.close();
      }
    }, 600_000);

    test('names are data for the shell that ssh starts', async () => {
      const name = `-it's "an" image; touch trap & $(touch trap) \`touch trap\` > trap \\ * – 🖥️`;
      copyFileSync(join(folder, 'guest'), join(folder, name));
      const adapter = new LibvirtAdapter(options, site, log);
      const target = { leaseId: 12, machine: 1, node: 1, toNode: null, capacity: bench.capacity };
      const image = { name, sizeMb: 1 };
      const does = (verb: Operation): Promise<ActionResult> =>
        carryOut(adapter, verb, { actionId: verb.length, target: { ...target, image } });
      try {
        expect(await does('prepare')).toMatchObject({ status: 'done' });
        expect(readdirSync(join((daemons[0] as PrivateDaemon).files, 'images'))).toContain(name);
        expect(await does('destroy')).toMatchObject({ status: 'done' });
        expect(foldersOn(1, 12)).toEqual([]);
      } finally {
        await adapter.close();
      }
    });

    test('a host that does not take the key is unreachable', async () => {
      const hosts = {
        'node-1': { ...options.hosts?.['node-1'], uri: uriOf(1, makeKey(folder, 'other-key')) },
      };
      const adapter = new LibvirtAdapter({ ...options, hosts }, site, log);
      const signal = AbortSignal.timeout(120_000);
      await expect(adapter.inspect({ leaseId: 1, machine: 1, node: 1 }, signal)).rejects.toThrow(HostUnreachable);
      await adapter.close();
    });
  },
);
