import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { connect } from '../../src/cli/client/client.ts';
import { runCli } from '../../src/cli/leasegraph.ts';
import { listen } from '../../src/server/http/listen.ts';
import { apiOnNewDatabase, createNodes, createReservations, hour, lease, minute, now, token } from '../api/fixture.ts';
import { cli } from './terminal.ts';

const api = await apiOnNewDatabase();
const listening = await listen('127.0.0.1', 0);
listening.serve(api.app);
const home = mkdtempSync(join(tmpdir(), 'leasegraph-home-'));
afterAll(async () => {
  rmSync(home, { recursive: true });
  await listening.close(1_000);
  await api[Symbol.asyncDispose]();
});
const server = ['--server', listening.url, '--token', token];

/** What a command prints in a window of that width. */
async function inWindow(width: number, ...argv: string[]): Promise<string> {
  let out = '';
  await runCli([...argv, ...server], {
    out: (text) => {
      out += text;
    },
    err: () => {},
    interactive: false,
    columns: width,
    tableWidth: width,
  });
  return out;
}

beforeAll(async () => {
  await createNodes(api.prisma, 2);
  await api.prisma.lease.createMany({
    data: [
      lease(1, {
        name: 'first\u001B[2J\u202E',
        state: 'ACTIVE',
        actualStart: new Date(now - 10 * minute),
        duration: hour,
        owner: 'ada',
      }),
      lease(2, {
        ...{ state: 'REJECTED', owner: 'bob' },
        ...{ reasonCode: 'NO_CAPACITY', reasonMessage: 'no two nodes are free then' },
      }),
    ],
  });
  await api.prisma.leaseMachine.createMany({
    data: [{ leaseNumber: 1, index: 1, amounts: { CPU: 100, Memory: 1024 }, nodeNumber: 2 }],
  });
  await createReservations(api.prisma, [
    {
      number: 1,
      lease: 1,
      start: now - 10 * minute,
      end: now + 50 * minute,
      state: 'ACTIVE',
      amounts: { 2: { CPU: 100, Memory: 1024 } },
    },
    {
      number: 2,
      lease: 1,
      kind: 'SHUTDOWN',
      start: now + 50 * minute,
      end: now + 50 * minute,
      state: 'SCHEDULED',
    },
  ]);
  await api.prisma.leaseEvent.createMany({
    data: [
      { sequence: 1, at: new Date(now - 11 * minute), leaseNumber: 1, from: 'NEW', to: 'PENDING' },
      { sequence: 2, at: new Date(now - 10 * minute), leaseNumber: 1, from: 'READY', to: 'ACTIVE' },
    ],
  });
});

describe('lease', () => {
  it('shows a lease with its plan and its history', async () => {
    const { status, out } = await cli('lease', '1', ...server);
    expect(status).toBe(0);
    expect(out).toMatch(/^lease 1 \(times in UTC\)\nstate {6}ACTIVE\n/);
    expect(out).toContain('name       first\uFFFD[2J\uFFFD\n');
    expect(out).toContain('nodes      node-2\n');
    expect(out).toContain('start      2030-01-31 07:50:00\n');
    expect(out).toMatch(/^ +1 .* VM +ACTIVE +2030-01-31 07:50:00 +2030-01-31 08:50:00$/m);
    expect(out).not.toContain('SHUTDOWN');
    expect(out).toMatch(/2030-01-31 07:50:00 {2}lease 1: READY -> ACTIVE\n$/);
  });

  it('prints JSON, and JSON Lines', async () => {
    const { out } = await cli('lease', '1', '--jsonl', ...server);
    expect(out.trim().split('\n')).toHaveLength(1);
    expect(JSON.parse(out)).toMatchObject({ number: 1, events: [{ sequence: 1 }, { sequence: 2 }] });
    const list = await cli('leases', '--jsonl', ...server);
    expect(
      list.out
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as { number: number }).number),
    ).toEqual([1, 2]);
  });

  it('names a lease that does not exist', async () => {
    const { status, err } = await cli('lease', '9', ...server);
    expect([status, err]).toEqual([1, 'leasegraph: there is no lease 9 [LEASE_NOT_FOUND]\n']);
  });
});

describe('leases', () => {
  it('filters', async () => {
    const numbers = async (...argv: string[]) => {
      const { out } = await cli('leases', '--jsonl', ...argv, ...server);
      return out.split('\n').flatMap((line) => (line === '' ? [] : (JSON.parse(line) as { number: number }).number));
    };
    expect(await numbers()).toEqual([1, 2]);
    expect(await numbers('--live')).toEqual([1]);
    expect(await numbers('--name', 'FIRST')).toEqual([1]);
    expect(await numbers('--owner', 'ada')).toEqual([1]);
    expect(await numbers('--owner', 'ada', '--owner', 'bob')).toEqual([1, 2]);
    expect(await numbers('--owner', 'ad')).toEqual([]);
    expect(await numbers('--node', 'node-2')).toEqual([1]);
    expect(await numbers('--node', 'node-1')).toEqual([]);
    expect(await numbers('--state', 'rejected', '--last', '1')).toEqual([2]);
    expect((await cli('leases', '--project', 'x', ...server)).err).toBe(
      'leasegraph: there is no project "x"; known projects: there are none [PROJECT_NOT_FOUND]\n',
    );
  });
});

describe('accounting', () => {
  it('sums up per period with --step', async () => {
    const argv = ['accounting', '--by', 'lease', '--from', '-1h', '--step', '30m', ...server];
    const { status, out } = await cli(...argv);
    expect(status).toBe(0);
    expect(out.split('\n').map((line) => line.trimEnd().replace(/ {2,}/g, ' | '))).toEqual([
      'FROM (UTC) | FOR | LEASES | USED (amount × h) | REQUESTED | LOST | WAITING | PREEMPTIONS',
      '2030-01-31 07:30:00 | lease 1 | 0 | CPU:16.7 Memory:170.7 | 00:00:00 | 0',
      '',
    ]);
    expect(JSON.parse((await cli(...argv, '--jsonl')).out)).toMatchObject({
      start: '2030-01-31T07:30:00.000Z',
      end: '2030-01-31T08:00:00.000Z',
      lease: { number: 1 },
      used: [
        { type: 'CPU', hours: 100 / 6 },
        { type: 'Memory', hours: 1024 / 6 },
      ],
    });
  });
});

describe('events', () => {
  it('lists the newest ones, and those after a sequence number', async () => {
    const { out } = await cli('events', ...server);
    expect(out).toBe(
      [
        '   EVENT  AT (UTC)             CHANGE',
        '       1  2030-01-31 07:49:00  lease 1: NEW -> PENDING',
        '       2  2030-01-31 07:50:00  lease 1: READY -> ACTIVE\n',
      ].join('\n'),
    );
    expect((await cli('events', '--last', '1', ...server)).out).toMatch(/CHANGE\n +2 /);
    expect((await cli('events', '--after', '2', ...server)).out).toBe('No events.\n');
    expect((await cli('events', '--lease', '2', ...server)).out).toBe('No events.\n');
    expect((await cli('events', '--state', 'pending', ...server)).out).toMatch(/CHANGE\n +1 .*\n$/);
    expect((await cli('events', '--lease', '9', ...server)).err).toContain('[LEASE_NOT_FOUND]');
  });
});

describe('tables', () => {
  it('fit a window of 60 columns, with reasons on lines of their own', async () => {
    const out = await inWindow(60, 'leases');
    expect(Math.max(...out.split('\n').map((line) => line.length))).toBeLessThanOrEqual(60);
    expect(out).toMatch(/^ +2 .*REJECTED.*\n {4}no two nodes are free then \[NO_CAPACITY\]$/m);
    expect(out).not.toContain('\u001B');
  });
});

describe('nodes and reservations', () => {
  it('lists reservations that have a length', async () => {
    const { out } = await cli('reservations', ...server);
    expect(out).toMatch(/^ +1 .* VM +ACTIVE/m);
    expect(out).toMatch(/^ {4}node-2$/m);
    expect(out).not.toContain('SHUTDOWN');
    expect((await cli('reservations', '--from', '+2h', ...server)).out).toBe('No reservations.\n');
  });

  it('shows one node, by number or by host name', async () => {
    const { out } = await cli('node', 'node-2', ...server);
    expect(out).toContain('capacity  CPU:400 Memory:8192\nfree      CPU:300 Memory:7168\n');
    expect((await cli('node', '2', ...server)).out).toBe(out);
    expect((await cli('node', '3', ...server)).err).toBe('leasegraph: there is no node "3" [NODE_NOT_FOUND]\n');
  });

  it('shows who set the state of a node and why, and what its host was told to do', async () => {
    const { prisma } = api;
    const stateCause = {
      code: 'HOST',
      at: now,
      by: null,
      message: 'no route to host',
      lease: null,
      before: null,
    };
    await prisma.computeNode.update({ where: { number: 2 }, data: { state: 'DOWN', stateCause } });
    await prisma.action.create({
      data: {
        ...{ number: 900, kind: 'DESTROY', state: 'SUCCEEDED', leaseNumber: 1, targets: [], attempts: 2 },
        ...{ at: new Date(now), startedAt: new Date(now), finishedAt: new Date(now + 1_500) },
      },
    });
    await prisma.actionNode.create({ data: { nodeNumber: 2, actionNumber: 900 } });
    const { out } = await cli('node', '2', ...server);
    expect(out).toContain('node 2    node-2, DOWN\nsince     2030-01-31 08:00:00 by the server: no route to host\n');
    expect(out).toMatch(/^DESTROY +1 +SUCCEEDED +2030-01-31 08:00:00 +1.5 s +2 *$/m);
    const { out: status } = await cli('status', ...server);
    expect(status).toContain(
      'nodes      1 of 2 UP\ndown       node-2, since 2030-01-31 08:00:00 by the server: no route to host\n',
    );
    const { notUp } = JSON.parse((await cli('status', '--json', ...server)).out);
    expect(notUp).toEqual([expect.objectContaining({ hostname: 'node-2', state: 'DOWN' })]);
    await prisma.action.delete({ where: { number: 900 } });
    await prisma.computeNode.update({ where: { number: 2 }, data: { state: 'UP' } });
  });

  it('says which leases run on each node at an instant', async () => {
    const { prisma } = api;
    const times = { start: now - minute, end: now + 2 * hour, state: 'ACTIVE' as const };
    const machines = { 1: { CPU: 100 }, 2: { CPU: 100 } };
    onTestFinished(async () => {
      await prisma.lease.deleteMany({ where: { number: { gt: 2 } } });
      // Sums up anew what was used.
      await createReservations(prisma, []);
    });
    await prisma.lease.createMany({ data: [7, 8, 9].map((number) => lease(number, { state: 'ACTIVE' })) });
    await createReservations(prisma, [
      { number: 71, lease: 7, ...times, amounts: machines },
      { number: 72, lease: 7, kind: 'SUSPENSION', ...times, amounts: { 2: { CPU: 1 } } },
      { number: 81, lease: 8, ...times, start: now + hour, state: 'SCHEDULED', amounts: machines },
      { number: 91, lease: 9, kind: 'IMAGE_TRANSFER', ...times, amounts: { 1: { CPU: 1 } } },
    ]);
    const running = async (...argv: string[]) => {
      const { out } = await cli('nodes', '--json', ...argv, ...server);
      return (JSON.parse(out) as { number: number; leases: number[] }[]).map(({ leases }) => leases);
    };
    expect(await running()).toEqual([[7], [1, 7]]);
    expect(await running('--at', '-1m')).toEqual([[7], [1, 7]]);
    expect(await running('--at', '-2m')).toEqual([[], [1]]);
    expect(await running('--at', '+1h')).toEqual([
      [7, 8],
      [7, 8],
    ]);
    expect(await running('--at', '+2h')).toEqual([[], []]);

    expect(await inWindow(40, 'nodes', '--at', '+50m')).toBe(
      [
        'NODE  HOSTNAME  FREE',
        '   1  node-1    CPU:299 Memory:8192',
        '    lease 7',
        '   2  node-2    CPU:299 Memory:8192',
        '    lease 7\n',
      ].join('\n'),
    );
    await prisma.lease.createMany({
      data: Array.from({ length: 20 }, (_, index) => lease(100 + index, { state: 'ACTIVE' })),
    });
    await createReservations(
      prisma,
      Array.from({ length: 20 }, (_, index) => ({
        ...{ number: 100 + index, lease: 100 + index, ...times, amounts: { 1: { CPU: 1 } } },
      })),
    );
    const narrow = await inWindow(60, 'nodes');
    expect(Math.max(...narrow.split('\n').map((line) => line.length))).toBeLessThanOrEqual(60);
    expect(narrow).toContain('    leases 7, 100, 101, 102,');
  });

  it('says what is free at an instant', async () => {
    expect((await cli('nodes', ...server)).out).toMatch(/node-2 +UP +CPU:400 Memory:8192 +CPU:300 Memory:7168/);
    expect((await cli('nodes', '--at', '+1h', ...server)).out).toMatch(/node-2 .* CPU:400 Memory:8192$/m);
  });
});

describe('utilization', () => {
  it('draws a bar per sample', async () => {
    const { out } = await cli('utilization', '--from', '-10m', '--to', '+10m', '--step', '10m', ...server);
    // 100 of 800.
    const bar = `${'#'.repeat(6)}${'.'.repeat(44)}`;
    expect(out).toBe(
      `START (UTC)           HELD  CPU\n2030-01-31 07:50:00   13 %  ${bar}\n2030-01-31 08:00:00   13 %  ${bar}\n`,
    );
  });
});

describe('rates', () => {
  it('says so when there are none', async () => {
    expect(await cli('rates', ...server)).toEqual({
      ...{ status: 0, err: '' },
      out: 'No host has suspended, resumed or moved machines yet.\n',
    });
    expect((await cli('rates', '--json', ...server)).out).toBe('[]\n');
  });
});

describe('login', () => {
  const environment = { XDG_CONFIG_HOME: home };
  const withHome = async (...argv: string[]) => {
    const before = process.env.XDG_CONFIG_HOME;
    process.env.XDG_CONFIG_HOME = home;
    try {
      return await cli(...argv);
    } finally {
      if (before === undefined) delete process.env.XDG_CONFIG_HOME;
      else process.env.XDG_CONFIG_HOME = before;
    }
  };

  it('keeps a server and its token for their owner, and for that server only', async () => {
    const { status, out } = await withHome('login', ...server);
    expect([status, out]).toEqual([
      0,
      `Logged in to site "test" at ${listening.url}/graphql as admin (ADMIN); kept in ${home}/leasegraph/login.json.\n`,
    ]);
    const file = join(home, 'leasegraph/login.json');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ server: `${listening.url}/graphql`, token });
    expect((await withHome('leases')).status).toBe(0);
    const elsewhere = { ...environment, LEASEGRAPH_DATA_DIR: home };
    expect(() => connect({ server: 'http://127.0.0.1:9' }, elsewhere)).toThrow('a token is needed');
    expect((await withHome('login', '--logout')).out).toBe('Logged out.\n');
    expect((await withHome('login', '--logout')).out).toBe('There is no login to forget.\n');
  });

  it('keeps no token that the server does not know', async () => {
    const { status, err } = await withHome('login', '--server', listening.url, '--token', 'wrong');
    expect([status, err]).toEqual([
      1,
      `leasegraph: the server at ${listening.url}/graphql does not know this token (from --token) [UNAUTHENTICATED]\n`,
    ]);
    expect((await withHome('login', '--logout')).out).toBe('There is no login to forget.\n');
  });
});
