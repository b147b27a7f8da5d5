import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { CommandError } from '../../src/engine/ports.ts';
import { listen } from '../../src/server/http/listen.ts';
import { apiOnNewDatabase, createNodes, hour, lease, minute, now, token } from '../api/fixture.ts';
import { cli } from './terminal.ts';

const api = await apiOnNewDatabase();
const listening = await listen('127.0.0.1', 0);
listening.serve(api.app);
const folder = mkdtempSync(join(tmpdir(), 'leasegraph-request-'));
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await listening.close(1_000);
  await api[Symbol.asyncDispose]();
});
const server = ['--server', listening.url, '--token', token];

describe('projects, tokens and audit records', () => {
  it('are created, listed and revoked', async () => {
    const project = await cli('project', 'create', 'genomics', ...server);
    expect([project.status, project.err]).toEqual([0, '']);
    expect(project.out).toMatch(/^genomics +\d{4}-/m);
    expect((await cli('project', 'rename', 'genomics', 'physics', ...server)).out).toContain('physics');
    expect((await cli('project', 'list', '--jsonl', ...server)).out).toContain('"name":"physics"');
    expect((await cli('project', 'create', 'physics', ...server)).err).toMatch(/^leasegraph: .* \[[A-Z_]+\]\n$/);

    const created = await cli(
      ...['token', 'create', 'ada', '--role', 'operator', '--project', 'physics', '--expires', '+30d'],
      ...server,
    );
    expect(created.status).toBe(0);
    const secret = created.out.trim();
    expect(created.out).toBe(`${secret}\n`);
    expect(created.err).toMatch(/^ada +\S+ +OPERATOR +physics +2030-03-02/m);
    const asAda = ['--server', listening.url, '--token', secret];
    expect((await cli('leases', ...asAda)).status).toBe(0);
    expect((await cli('token', 'list', ...asAda)).err).toMatch(/^leasegraph: .* \[FORBIDDEN\]\n$/);

    const update = async (...args: readonly string[]) => cli('token', 'update', 'ada', ...args, ...server);
    expect((await update('--role', 'user', '--expires', 'never')).out).toMatch(/^ada +\S+ +USER +physics +(?!2030)/m);
    expect((await update()).err).toBe(
      'leasegraph: The update changes nothing. Give a role, projects or an expiry. [INVALID_REQUEST]\n',
    );
    await cli('project', 'create', 'biology', ...server);
    expect((await update('--add-project', 'biology', '--remove-project', 'physics')).out).toMatch(
      /^ada +\S+ +USER +biology /m,
    );
    const members = async (project: string, ...as: readonly string[]) => {
      const { out } = await cli('project', 'members', 'list', project, '--jsonl', ...as);
      return out
        .trim()
        .split('\n')
        .filter(Boolean)
        .map((line) => (JSON.parse(line) as { name: string }).name);
    };
    expect(await members('physics', ...server)).toEqual([]);
    expect(await members('biology', ...asAda)).toEqual(['ada']);
    await cli('token', 'create', 'bob', ...server);
    const added = await cli('project', 'members', 'add', 'physics', 'ada', 'bob', ...server);
    expect(added.out).toMatch(/^ada .* biology physics .*\nbob .* physics /m);
    expect(await members('physics', ...asAda)).toEqual(['ada', 'bob']);
    const removed = await cli('project', 'members', 'remove', 'physics', 'ada', ...server);
    expect(removed.out).toMatch(/^ada +\S+ +USER +biology /m);
    expect((await cli('project', 'members', 'list', 'physics', ...server)).out).toMatch(/^bob +USER +physics$/m);
    expect((await cli('project', 'members', 'list', 'physics', ...asAda)).err).toContain('[PROJECT_NOT_FOUND]');
    expect((await cli('project', 'members', 'add', 'physics', 'ada', ...asAda)).err).toContain('_NOT_FOUND]');

    const revoked = await cli('token', 'revoke', 'ada', ...server);
    expect((await update('--role', 'admin')).err).toMatch(/ \[TOKEN_REVOKED\]\n$/);
    expect(await members('biology', ...server)).toEqual([]);
    expect(revoked.status).toBe(0);
    expect((await cli('leases', ...asAda)).err).toContain('does not know this token');
    expect((await cli('token', 'revoke', 'nobody', ...server)).err).toBe(
      'leasegraph: there is no token "nobody" [TOKEN_NOT_FOUND]\n',
    );

    const audit = await cli('audit', '--mutation', 'createToken', '--jsonl', ...server);
    expect(
      audit.out
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as { outcome: string }).outcome),
    ).toEqual(['OK', 'OK']);
    expect((await cli('audit', '--mutation', 'cancelLease', ...server)).out).toBe('No entries.\n');
  });
});

describe('quotas', () => {
  it('are listed, set and removed', async () => {
    const quota = {
      ...{ type: 'CPU', amount: 400, amountHours: 1000, period: 2_592_000_000 },
      ...{ maxDuration: null, maxLeases: 5 },
    };
    await api.prisma.project.create({ data: { name: 'chemistry', quotas: [quota] } });
    const submitted = api.leases.submitted.length;
    api.leases.result = async (kind) =>
      kind === 'quotas' ? [{ quota, held: 100, usedHours: 12.345, periodStart: 0, leases: 2 }] : { project: 1 };
    const listed = await cli('quota', 'list', 'chemistry', ...server);
    expect([listed.status, listed.err]).toEqual([0, '']);
    expect(listed.out).toMatch(/^chemistry +CPU +100\/400 +12.35\/1000 +\S+ .* 2\/5$/m);
    const set = await cli(
      ...['quota', 'set', 'chemistry', 'Memory', '--amount', '8192', '--max-duration', '1d'],
      ...server,
    );
    expect(set.status).toBe(0);
    const setQuotas = () =>
      api.leases.submitted
        .slice(submitted)
        .filter(({ kind, input }) => kind === 'setQuotas' && (input as { project: unknown }).project !== null)
        .at(-1)?.input;
    expect(setQuotas()).toMatchObject({
      quotas: [quota, { type: 'Memory', amount: 8192, amountHours: null, maxDuration: 86_400_000 }],
    });
    expect((await cli('quota', 'remove', 'chemistry', 'CPU', ...server)).status).toBe(0);
    expect(setQuotas()).toMatchObject({ quotas: [] });
    expect((await cli('quota', 'remove', 'chemistry', 'GPU', ...server)).err).toBe(
      'leasegraph: project "chemistry" has no quota for GPU [QUOTA_NOT_FOUND]\n',
    );
  });
});

describe('request --file', () => {
  const file = (name: string, text: string) => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  };

  it('requests the leases of a file in JSON or LWF', async () => {
    let number = 10;
    api.leases.requests.length = 0;
    api.leases.answer = async () => {
      number += 1;
      await api.prisma.lease.create({ data: lease(number, { state: 'QUEUED' }) });
      return number;
    };
    const input = {
      type: 'BEST_EFFORT',
      machines: [{ count: 2, capacity: [{ type: 'CPU', amount: 100 }] }],
      duration: 'PT1H',
    };
    const json = file('leases.json', JSON.stringify([input, { ...input, name: 'second' }]));
    const two = await cli('request', '--file', json, '--jsonl', ...server);
    expect([two.status, two.err]).toEqual([0, '']);
    expect(two.out.trim().split('\n')).toHaveLength(2);
    const lwf = file(
      'lease.lwf',
      `<lease-workload><lease-requests><lease-request arrival="00:00"><lease preemptible="true"><nodes><node-set numnodes="2"><res type="CPU" amount="50"/><res type="Disk" amount="1"/></node-set></nodes><start><exact time="01:00:00"/></start><duration time="00:30:00"/><software><none/></software></lease></lease-request></lease-requests></lease-workload>`,
    );
    expect((await cli('request', '--file', lwf, ...server)).err).toBe('');
    expect(api.leases.requests.map(({ request }) => [request.type, request.name, request.machines])).toEqual([
      ['BEST_EFFORT', null, [{ CPU: 100 }, { CPU: 100 }]],
      ['BEST_EFFORT', 'second', [{ CPU: 100 }, { CPU: 100 }]],
      ['ADVANCE_RESERVATION', null, [{ CPU: 50 }, { CPU: 50 }]],
    ]);
    // One hour from the present instant of the server.
    expect(api.leases.requests[2]?.request.start).toBe(Date.UTC(2030, 0, 31, 9));
  });

  it.each([
    [['--file', '/none.json'], 1, '/none.json: cannot be read'],
    [['--file', 'LIST', '--name', 'x'], 2, '--name does not go with --file'],
    [['--file', 'TEXT'], 1, 'is neither LWF nor JSON'],
    [['--file', 'NUMBER'], 1, 'expected a lease, or a list of leases'],
    [['--duration', '1h'], 2, "required option '--machines <set>' not specified"],
  ])('refuses %j', async (argv, status, message) => {
    const files: Readonly<Record<string, string>> = {
      LIST: file('list.json', '[]'),
      TEXT: file('text', 'machines'),
      NUMBER: file('number', '3'),
    };
    const result = await cli('request', ...argv.map((word) => files[word] ?? word), ...server);
    expect(result.err).toContain(message);
    expect(result.status).toBe(status);
  });
});

describe('update, extend and end', () => {
  it('send what changes, and print the lease', async () => {
    await api.prisma.lease.create({ data: lease(70, { state: 'ACTIVE', duration: 3_600_000 }) });
    await api.prisma.lease.create({ data: lease(71, { state: 'QUEUED' }) });
    api.leases.submitted.length = 0;
    api.leases.result = async () => ({ displaced: [71] });
    const updated = await cli('update', '70', '--duration', '90m', '--start', '+1h', ...server);
    expect([updated.status, updated.err]).toEqual([0, '']);
    expect(updated.out).toMatch(/^ +70 /m);
    expect(updated.out).toContain('Displaced: 71\n');
    api.leases.result = async () => ({ displaced: [] });
    expect((await cli('extend', '70', '30m', '--as-far-as-possible', '--jsonl', ...server)).status).toBe(0);
    // The lease of this test gets no more time.
    const less = await cli('extend', '70', '30m', '--as-far-as-possible', ...server);
    expect(less.out).toMatch(/\nExtended by 00:00:00 of 00:30:00\.\n$/);
    expect((await cli('end', '70', ...server)).status).toBe(0);
    expect(api.leases.submitted.map(({ kind }) => kind)).toEqual(['update', 'update', 'update', 'end']);
    const [first, second] = api.leases.submitted.map(({ input }) => JSON.stringify(input));
    expect(first).toContain('"duration":5400000');
    expect(first).toContain(`"start":${Date.UTC(2030, 0, 31, 9)}`);
    // One hour and half an hour.
    expect(second).toContain('"duration":5400000');
    expect(second).toContain('"asFarAsPossible":true');
  });

  it('say with --dry-run what would happen', async () => {
    api.leases.submitted.length = 0;
    const plan = {
      ...{ accepted: true, reason: null, start: now, end: now + hour, machines: { 1: 1 } },
      ...{ displaces: [71], firstPossibleStart: null, maxDuration: null, amounts: [{ CPU: 100 }] },
    };
    api.leases.result = async () => plan;
    const accepted = await cli('extend', '70', '30m', '--dry-run', ...server);
    expect([accepted.status, accepted.err]).toEqual([0, '']);
    expect(accepted.out).toBe(
      [
        'would be accepted',
        'start        2030-01-31 08:00:00',
        'end          ~2030-01-31 09:00:00',
        'displaces    71\n',
      ].join('\n'),
    );
    api.leases.result = async () => ({
      ...plan,
      ...{ accepted: false, start: null, end: null, machines: null, displaces: [], maxDuration: hour },
      reason: { code: 'EXTENSION_BLOCKED', message: 'its nodes are taken' },
    });
    const waiting = await cli('update', '71', '--duration', '90m', '--dry-run', ...server);
    expect(waiting.out).toMatch(/^would be refused: /);
    const refused = await cli('update', '70', '--duration', '90m', '--dry-run', ...server);
    expect([refused.status, refused.out, refused.err]).toEqual([
      1,
      'would be refused: its nodes are taken [EXTENSION_BLOCKED]\ncould last   01:00:00\n',
      '',
    ]);
    expect(api.leases.submitted.map(({ kind }) => kind)).toEqual(['dryRunUpdate', 'dryRunUpdate', 'dryRunUpdate']);
  });

  it('say why they cannot', async () => {
    expect((await cli('update', '70', ...server)).err).toBe(
      'leasegraph: expected --duration, --start, --deadline, --name, --preemptible or --end-notice\n',
    );
    expect((await cli('end', '99', ...server)).err).toBe('leasegraph: there is no lease 99 [LEASE_NOT_FOUND]\n');
    api.leases.result = async () => {
      throw new CommandError('LEASE_ENDED', 'Lease 70 has ended.');
    };
    const refused = await cli('extend', '70', '1h', ...server);
    expect(refused.status).toBe(1);
    expect(refused.err).toMatch(/Lease 70 has ended\. \[LEASE_ENDED\]\n$/);
  });
});

describe('status', () => {
  it('shows the scheduler, and fails when it has problems', async () => {
    const { status, out } = await cli('status', ...server);
    expect(status).toBe(0);
    expect(out).toMatch(/^role +writer$/m);
    expect(out).toContain('time       2030-01-31 08:00:00 UTC\n');
    api.leases.problems = ['the database is unreachable'];
    const troubled = await cli('status', ...server);
    api.leases.problems = [];
    expect(troubled.status).toBe(1);
    expect(troubled.out).toContain('the database is unreachable');
  });
});

describe('nodes and maintenance', () => {
  it('say with --dry-run what would be displaced', async () => {
    await createNodes(api.prisma, 2);
    api.leases.submitted.length = 0;
    const plan = { accepted: true, reason: null, displaces: [70, 71], withoutPlace: [70] };
    api.leases.result = async () => ({ ...plan, firstPossibleStart: now + hour });
    const drained = await cli('node', 'drain', 'node-2', '--dry-run', ...server);
    expect([drained.status, drained.err]).toEqual([0, '']);
    expect(drained.out).toBe(
      ['would be accepted', 'displaces      70, 71', 'no place for   70', 'possible from  2030-01-31 09:00:00\n'].join(
        '\n',
      ),
    );
    const reason = { code: 'WOULD_DISPLACE', message: 'Lease 70 would lose its place.' };
    api.leases.result = async () => ({ ...plan, accepted: false, reason, firstPossibleStart: null });
    const times = ['--start', '+1h', '--end', '+2h'];
    const refused = await cli('maintenance', 'plan', '1', ...times, '--dry-run', ...server);
    expect([refused.status, refused.out, refused.err]).toEqual([
      1,
      'would be refused: Lease 70 would lose its place. [WOULD_DISPLACE]\ndisplaces      70, 71\nno place for   70\n',
      '',
    ]);
    expect(api.leases.submitted.map(({ kind }) => kind)).toEqual(['rehearseNodeState', 'rehearseMaintenance']);
    expect((await cli('node', 'resume', '1', '--dry-run', ...server)).status).toBe(2);
  });

  it('are changed by operators', async () => {
    api.leases.submitted.length = 0;
    api.leases.result = async () => ({ displaced: [71] });
    const drained = await cli('node', 'drain', 'node-2', '--refuse', ...server);
    expect([drained.status, drained.err]).toEqual([0, '']);
    expect(drained.out).toMatch(/^node 2 \(node-2\) is \w+\nDisplaced: 71\n$/);
    expect((await cli('node', '2', ...server)).out).toMatch(/^node 2 {4}node-2, UP$/m);
    expect((await cli('nodes', ...server)).out).toMatch(/node-2 +UP +CPU:400/);
    expect(JSON.stringify(api.leases.submitted[0]?.input)).toContain('"DRAINING"');
    expect((await cli('maintenance', 'list', ...server)).out).toBe('No maintenance.\n');
    const refused = await cli('maintenance', 'plan', 'node-9', '--start', '+1h', '--end', '+2h', ...server);
    expect(refused.err).toBe('leasegraph: there is no node "node-9" [NODE_NOT_FOUND]\n');
    await cli('maintenance', 'plan', '1', '2', '--start', '+1h', '--end', '+2h', '--reason', 'disks', ...server);
    expect(JSON.stringify(api.leases.submitted[1]?.input)).toContain(`${Date.UTC(2030, 0, 31, 9)}`);
  });

  it('are listed with the ID by which maintenance is ended', async () => {
    const { prisma } = api;
    const period = { start: new Date(now + hour), end: new Date(now + 2 * hour) };
    await prisma.maintenance.createMany({
      data: [
        { ...period, name: 'disks new disks', nodes: [1, 2] },
        { name: 'later', nodes: [2], start: new Date(now + 3 * hour), end: new Date(now + 4 * hour) },
      ],
    });
    const [disks, later] = ['disks new disks', 'later'].map((name) => btoa(`Maintenance:${name}`));
    const { status, out } = await cli('maintenance', 'list', ...server);
    expect(status).toBe(0);
    expect(out).toBe(
      [
        'START (UTC)          END (UTC)            REASON',
        '2030-01-31 09:00:00  2030-01-31 10:00:00  new disks',
        '    node-1 node-2',
        `    ID ${disks}`,
        '2030-01-31 11:00:00  2030-01-31 12:00:00',
        '    node-2',
        `    ID ${later}\n`,
      ].join('\n'),
    );
    const early = await cli('maintenance', 'list', '--to', '+150m', '--jsonl', ...server);
    expect(
      early.out
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).id),
    ).toEqual([disks]);

    api.leases.submitted.length = 0;
    api.leases.result = async () => {
      const data = { end: new Date(now + 90 * minute) };
      const { name } = await prisma.maintenance.update({ where: { name: 'disks new disks' }, data });
      return { name };
    };
    const ended = await cli('maintenance', 'end', disks ?? '', ...server);
    expect([ended.status, ended.err]).toEqual([0, '']);
    expect(ended.out).toBe(
      [
        'START (UTC)          END (UTC)            REASON',
        '2030-01-31 09:00:00  2030-01-31 09:30:00  new disks',
        '    node-1 node-2',
        `    ID ${disks}\n`,
      ].join('\n'),
    );
    expect(api.leases.submitted).toEqual([{ kind: 'endMaintenance', input: { name: 'disks new disks' } }]);

    api.leases.result = async () => {
      throw new CommandError('MAINTENANCE_NOT_FOUND', 'There is no maintenance "disks" that has not ended.');
    };
    const again = await cli('maintenance', 'end', disks ?? '', ...server);
    expect(again).toEqual({
      status: 1,
      out: '',
      err: 'leasegraph: id: There is no maintenance "disks" that has not ended. [MAINTENANCE_NOT_FOUND]\n',
    });
    await prisma.maintenance.deleteMany();
  });
});

describe('node add, update and remove', () => {
  it('change which nodes the site has', async () => {
    api.leases.submitted.length = 0;
    api.leases.result = async () => ({ numbers: [1, 2] });
    const capacity = ['--capacity', 'CPU:100+100 Memory:1024'];
    const added = await cli('node', 'add', 'node-1', 'node-2', ...capacity, '--label', 'rack=b', ...server);
    expect([added.status, added.err]).toEqual([0, '']);
    expect(added.out).toMatch(/^NODE +HOSTNAME +CAPACITY\n +1 +node-1 +CPU:400/);
    const described = { capacity: { CPU: [100, 100], Memory: 1024 }, labels: { rack: 'b' } };
    expect(api.leases.submitted[0]).toEqual({
      kind: 'addNodes',
      input: {
        nodes: [
          { hostname: 'node-1', ...described },
          { hostname: 'node-2', ...described },
        ],
      },
    });
    api.leases.result = async () => ({ node: 2 });
    const words = ['--capacity', 'CPU:50', '--no-address', '--label', 'rack=c'];
    const updated = await cli('node', 'update', 'node-2', ...words, ...server);
    expect([updated.status, updated.err]).toEqual([0, '']);
    expect(updated.out).toMatch(/^NODE +HOSTNAME +CAPACITY\n +2 +node-2 /);
    expect(api.leases.submitted.splice(1)).toEqual([
      {
        kind: 'updateNode',
        input: { node: 2, capacity: { CPU: 50 }, address: null, labels: { rack: 'c' } },
      },
    ]);
    expect((await cli('node', 'update', '2', '--no-labels', ...server)).status).toBe(0);
    expect(api.leases.submitted.splice(1)).toEqual([{ kind: 'updateNode', input: { node: 2, labels: {} } }]);
    for (const none of [[], ['--label', 'a=b', '--no-labels']])
      expect((await cli('node', 'update', '2', ...none, ...server)).status).toBe(2);
    const removed = await cli('node', 'remove', 'node-2', ...server);
    expect([removed.status, removed.err, removed.out]).toEqual([0, '', 'node 2 (node-2) is removed\n']);
    expect(api.leases.submitted[1]).toEqual({ kind: 'removeNode', input: { node: 2 } });
    api.leases.result = async () => {
      throw new CommandError('NODE_IN_USE', 'Leases hold something on node 2.');
    };
    expect((await cli('node', 'remove', '2', ...server)).err).toBe(
      'leasegraph: Leases hold something on node 2. [NODE_IN_USE]\n',
    );
    expect((await cli('node', 'add', 'x', 'y', '--address', 'z', ...capacity, ...server)).status).toBe(2);
    expect((await cli('node', 'add', 'x', '--capacity', 'CPU', ...server)).err).toContain('Expected TYPE:AMOUNT');
  });
});

describe('--dry-run of what plans nothing', () => {
  it('prints whether it would be accepted', async () => {
    api.leases.submitted.length = 0;
    api.leases.result = async () => ({ numbers: [] });
    const id = btoa('Maintenance:disks');
    for (const argv of [
      ['maintenance', 'end', id],
      ['node', 'add', 'new', '--capacity', 'CPU:100'],
      ['node', 'update', '2', '--label', 'rack=b'],
      ['node', 'remove', '2'],
    ]) {
      const { status, out, err } = await cli(...argv, '--dry-run', ...server);
      expect([status, out, err]).toEqual([0, 'would be accepted\n', '']);
    }
    expect(api.leases.submitted).toEqual([
      { kind: 'rehearseEndMaintenance', input: { name: 'disks' } },
      { kind: 'rehearseAddNodes', input: { nodes: [{ hostname: 'new', capacity: { CPU: 100 } }] } },
      { kind: 'rehearseUpdateNode', input: { node: 2, labels: { rack: 'b' } } },
      { kind: 'rehearseRemoveNode', input: { node: 2 } },
    ]);
    expect(JSON.parse((await cli('node', 'remove', '2', '--dry-run', '--json', ...server)).out)).toEqual({
      accepted: true,
    });
    api.leases.result = async () => {
      throw new CommandError('NODE_IN_USE', 'Leases hold something on node 2.');
    };
    const refused = await cli('node', 'remove', '2', '--dry-run', ...server);
    expect([refused.status, refused.out, refused.err]).toEqual([
      ...[1, '', 'leasegraph: Leases hold something on node 2. [NODE_IN_USE]\n'],
    ]);
  });
});

describe('accounting', () => {
  it('sums up by project, owner or lease', async () => {
    await api.prisma.lease.create({ data: lease(74, { submittedAt: new Date(now - 3_600_000) }) });
    const { status, err, out } = await cli('accounting', '--by', 'lease', '--from', '-1d', ...server);
    expect([status, err]).toEqual([0, '']);
    expect(out).toMatch(/^FOR +LEASES[\s\S]*\nlease 74 +1 /);
    expect((await cli('accounting', '--from', '-1d', ...server)).out).toMatch(/\nno project +\d/);
    expect((await cli('accounting', '--by', 'node', ...server)).err).toContain(
      'Expected one of project, owner, lease. (see --help)\n',
    );
  });
});
