import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SimulationResult } from '../../src/simulation/result.ts';
import { build, run as runProgram } from '../support/server-process.ts';
import { cli } from './terminal.ts';

const folder = mkdtempSync(join(tmpdir(), 'leasegraph-cli-'));
afterAll(() => rmSync(folder, { recursive: true }));

const path = (name: string) => join(folder, name);
const file = (name: string, text: string) => {
  writeFileSync(path(name), text);
  return path(name);
};
const job = (id: number, submit: number, run: number, processors: number) =>
  `${id} ${submit} -1 ${run} ${processors} -1 -1 ${processors} ${run * 2} -1 1 1 -1 -1 1 -1 -1 -1\n`;

const trace = file(
  't.swf',
  `; a trace\n${job(1, 0, 100, 2)}${job(2, 10, 100, 4)}${job(3, 20, 50, 2)}${job(4, 30, 10, 8)}`,
);
const site = ['--site', '4 CPU:100 Memory:1024'];

interface RunOfFile {
  readonly run: { readonly files: { readonly commands: string | null } };
}
const blocked = 'The nodes of lease 1 are taken after its end: it can last 5m at most.';

describe('simulate', () => {
  it('prints a summary', async () => {
    const { status, out, err } = await cli('simulate', trace, ...site);
    expect(err).toBe('');
    expect(status).toBe(0);
    expect(out).toMatch(/^t\.swf: 4 leases on 4 nodes, 00:03:20 simulated in \d+\.\d\d s$/m);
    expect(out).toMatch(/^best effort +4 +3 +1 +0 +0$/m);
    expect(out).toMatch(/^waiting time +00:00:30 +00:00:00 +00:01:30 /m);
    expect(out).toMatch(/^utilization +\d/m);
  });

  it('writes every lease and event', async () => {
    const output = path('out.json');
    const { status } = await cli('simulate', trace, ...site, '--output', output, '--probes', 'best-effort');
    expect(status).toBe(0);
    const result = JSON.parse(readFileSync(output, 'utf8')) as SimulationResult & {
      accounting: { perRun: object };
    };
    expect(result.summary.end).toBe(200);
    expect(result.leases.map(({ id, state, start, end }) => [id, state, start, end])).toEqual([
      [1, 'DONE', 0, 100],
      [2, 'DONE', 100, 200],
      [3, 'DONE', 20, 70],
      [4, 'REJECTED', null, null],
    ]);
    expect(result.leases[1]?.reservations).toEqual([
      { kind: 'VM', start: 100, end: 200, nodes: { 1: 1, 2: 2, 3: 3, 4: 4 } },
    ]);
    expect(result.events[0]).toEqual([0, 1, 'NEW', 'PENDING']);
    expect(result.accounting.perRun).toEqual({ 'Total best-effort completed': 3, 'all-best-effort': 200 });
    expect(readdirSync(folder).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });

  it('fails when a lease can never end, and still writes the result', async () => {
    // Lease 1 would end after the year 9999, so it stays in the queue; lease 2 runs.
    const late = file('late.swf', `${job(1, 0, 86_400 * 100_000, 2)}${job(2, 0, 10, 1)}`);
    const output = path('unfinished.json');
    const start = ['--set', 'simulation.starttime=9900-01-01 00:00:00'];
    const { status, err } = await cli('simulate', late, ...site, ...start, '--output', output);
    expect(err).toBe('leasegraph: lease 1 can never end: nothing is left to happen that could start or end it\n');
    expect(status).toBe(1);
    const result = JSON.parse(readFileSync(output, 'utf8')) as SimulationResult;
    expect(result.unfinished).toEqual([1]);
    expect(result.leases.map(({ state }) => state)).toEqual(['QUEUED', 'DONE']);
    const stopped = await cli('simulate', late, ...site, ...start, '--stop-when', 'besteffort-submitted');
    expect(stopped.status).toBe(0);
  });

  it('prints JSON, draws, and obeys options and cancellations', async () => {
    const cancel = file('cancel.txt', '150 2\n');
    const gantt = path('g.svg');
    const { status, out } = await cli(
      'simulate',
      trace,
      ...site,
      '--json',
      '--gantt',
      gantt,
      '--cancel',
      cancel,
      '--backfilling',
      'off',
      '--set',
      'scheduling.shutdown-time=5',
      '--set',
      'accounting.attributes=a=b',
    );
    expect(status).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      summary: { outcomes: { BEST_EFFORT: { DONE: 2, CANCELLED: 1, REJECTED: 1 } }, leases: 4 },
      attributes: { a: 'b' },
      written: [gantt],
      warnings: [],
    });
    expect(readFileSync(gantt, 'utf8')).toMatch(/^<svg [\s\S]*<\/svg>\n$/);
  });

  it('carries out a file of commands, names those that were refused, and writes what became of all', async () => {
    const commands = file(
      'commands.jsonl',
      [
        '{"at": 5, "update": 9, "duration": 60}',
        '',
        '{"at": 40, "update": 3, "duration": 30}',
        '{"at": 80, "maintenance": "m1", "nodes": [1, 2], "start": 300, "end": 400, "collisions": "DISPLACE"}',
        '{"at": 85, "update": 1, "duration": 400}',
        '{"at": 90, "endMaintenance": "m2"}',
        '{"at": 350, "endMaintenance": "m1"}',
      ].join('\n'),
    );
    const output = path('commands.json');
    const argv = ['simulate', trace, ...site, '--commands', commands, '--output', output];
    const { status, out, err } = await cli(...argv);
    expect({ status, err }).toEqual({ status: 0, err: '' });
    expect(out.slice(out.indexOf('line'))).toBe(
      `line        at  refused command
   1  00:00:05  LEASE_NOT_FOUND        Lease 9 does not exist.
   5  00:01:25  EXTENSION_BLOCKED      ${blocked}
   6  00:01:30  MAINTENANCE_NOT_FOUND  There is no maintenance "m2" that has not ended.
`,
    );
    const result = JSON.parse(readFileSync(output, 'utf8')) as SimulationResult & RunOfFile;
    expect(result.run.files.commands).toBe(commands);
    expect(result.commands).toEqual([
      { at: 5, accepted: false, code: 'LEASE_NOT_FOUND', message: 'Lease 9 does not exist.', line: 1 },
      { at: 40, accepted: true, code: null },
      { at: 80, accepted: true, code: null },
      { at: 85, accepted: false, code: 'EXTENSION_BLOCKED', longest: 300, message: blocked, line: 5 },
      {
        at: 90,
        accepted: false,
        code: 'MAINTENANCE_NOT_FOUND',
        message: 'There is no maintenance "m2" that has not ended.',
        line: 6,
      },
      { at: 350, accepted: true, code: null },
    ]);
    expect(result.maintenance).toEqual([{ name: 'm1', nodes: [1, 2], start: 300, end: 350 }]);
    expect(result.leases.map(({ id, end, requested }) => [id, end, requested])).toEqual([
      [1, 100, 200],
      [2, 200, 200],
      [3, 50, 30],
      [4, null, 20],
    ]);
  });

  it('refuses a file of commands with a fault before the run, and names file and line', async () => {
    const late = file('late.jsonl', '{"at": 9, "cancel": 1}\n{"at": 8, "cancel": 2}\n');
    const output = path('late.json');
    const { status, out, err } = await cli(...['simulate', trace, ...site, '--commands', late, '--output', output]);
    expect({ status, out }).toEqual({ status: 1, out: '' });
    expect(err).toMatch(/^leasegraph: [^\n]*late\.jsonl:2: [^\n]*\n$/);
    expect(existsSync(output)).toBe(false);
  });

  it('warns on standard error', async () => {
    const config = file(
      'warn.conf',
      '[general]\nmode: simulated\nloglevel: INFO\n[simulation]\nclock: simulated\nstarttime: 2006-11-25 13:00:00\nresources: 4 CPU:100 Memory:1024\n[scheduling]\nsuspension: none\n[tracefile]\ntracefile: t.swf\n[accounting]\ndatafile: data.json\n',
    );
    const { status, err, out } = await cli('simulate', '--config', config);
    expect(status).toBe(0);
    expect(err).toBe(`leasegraph: warning: ${config}:3: general.loglevel has no meaning in a simulation here\n`);
    expect(out).toContain('4 leases');
    expect(existsSync(path('data.json'))).toBe(true);
  });

  it('loads a policy of the user', async () => {
    file(
      'odd.mjs',
      "export default { admit: (lease) => (lease.id % 2 ? null : { code: 'EVEN', message: 'even' }) };\n",
    );
    const run = (name: string) =>
      cli('simulate', trace, ...site, '--json', '--set', `scheduling.policy-admission=${path(name)}`);
    const { out } = await run('odd.mjs');
    expect(JSON.parse(out).summary.outcomes.BEST_EFFORT).toEqual({ DONE: 2, REJECTED: 2 });
    file('empty.mjs', 'export default {};\n');
    expect((await run('empty.mjs')).err).toBe(
      `leasegraph: ${path('empty.mjs')}: has no default export with admit(), expected a policy [INVALID_VALUE]\n`,
    );
    expect((await run('none.mjs')).err).toMatch(/^leasegraph: .*none\.mjs: cannot be loaded as a policy: [^\n]*\n$/);
  });

  it('finds what the command line names from where it is called, wherever the configuration is', async () => {
    file('nobody.mjs', "export default { admit: () => ({ code: 'NOBODY', message: 'nobody' }) };\n");
    mkdirSync(path('elsewhere'), { recursive: true });
    const config = file(
      'elsewhere/plain.conf',
      '[general]\nmode: simulated\n[simulation]\nclock: simulated\nstarttime: 2006-11-25 13:00:00\nresources: 4 CPU:100 Memory:1024\n[scheduling]\nsuspension: none\n',
    );
    const here = (name: string) => relative(process.cwd(), path(name));
    const { out } = await cli(
      ...['simulate', '--config', config, '--json', '--set', `tracefile.tracefile=${here('t.swf')}`],
      ...['--set', `scheduling.policy-admission=${here('nobody.mjs')}`],
    );
    expect(JSON.parse(out).summary.outcomes.BEST_EFFORT).toEqual({ REJECTED: 4 });
  });

  it('names the lease that cannot be requested', async () => {
    const late = file(
      'late.lwf',
      `<lease-workload name="late"><site><resource-types names="CPU Memory"/><nodes><node-set numnodes="1"><res type="CPU" amount="1"/><res type="Memory" amount="1"/></node-set></nodes></site>
<lease-requests><lease-request arrival="00:00:00"><lease preemptible="false"><nodes><node-set numnodes="1"><res type="CPU" amount="1"/></node-set></nodes><start><exact time="01:00:00"/></start><duration time="01:00:00"/><software><none/></software></lease></lease-request></lease-requests></lease-workload>`,
    );
    const config = file('late.yaml', 'simulation: { startTime: 9999-12-31T23:00:00Z }');
    const { status, err } = await cli('simulate', late, '--config', config);
    expect(err).toBe('leasegraph: lease 1 of the trace: The lease would end after the year 9999. [INVALID_REQUEST]\n');
    expect(status).toBe(1);
  });

  it('writes over nothing that it reads, and nothing twice', async () => {
    const before = readFileSync(trace, 'utf8');
    const alias = path('alias.swf');
    symlinkSync(trace, alias);
    for (const argv of [
      ['--output', trace],
      ['--gantt', alias],
      ['--images', file('images.txt', 'a 1\n#\na\n'), '--output', path('images.txt')],
      ['--output', path('twice'), '--gantt', `${folder}/./twice`],
    ]) {
      const { status, out, err } = await cli('simulate', trace, ...site, ...argv);
      expect(err).toMatch(/^leasegraph: .*: is (an input file|written twice), expected another name[^\n]*\n$/);
      expect([status, out]).toEqual([1, '']);
    }
    expect(readFileSync(trace, 'utf8')).toBe(before);
    expect(existsSync(path('twice'))).toBe(false);
    const nowhere = ['--output', '/dev/null', '--gantt', '/dev/null'];
    expect((await cli('simulate', trace, ...site, ...nowhere)).status).toBe(0);
    expect((await cli('convert', trace, alias)).err).toContain('is an input file');
  });

  it.each([
    [['simulate', '/none.swf', ...site], 1, '/none.swf: there is no such file'],
    [['simulate', trace], 1, 'the trace describes no site, expected a <site> in it'],
    [['simulate', trace, '--site', '4'], 1, '--site: CPU is missing, expected "COUNT'],
    [
      ['simulate', trace, ...site, '--backfilling', 'of'],
      1,
      '--backfilling: scheduling.backfilling: "of" was found, expected off',
    ],
    [
      ['simulate', trace, ...site, '--set', 'x'],
      2,
      "option '--set <option=value>' argument 'x' is invalid. Expected SECTION.KEY=VALUE.",
    ],
    [['simulate', trace, ...site, '--set', 'a.b=c'], 1, '--set: a.b: unknown section'],
    [
      ['simulate', trace, ...site, '--output', '/none/out.json'],
      1,
      '/none/out.json: cannot be written: there is no such folder',
    ],
    [['simulate', trace, ...site, '--gantt', folder], 1, 'is a directory, expected the name of a file to write'],
    [['simulate', trace, ...site, '--swf-scale', '0'], 2, "argument '0' is invalid. Expected a number greater than 0."],
    [['simulate'], 1, 'names no trace'],
    [['simulate', trace, 'more', '--output', 'x'], 2, '--output does not go with a comparison'],
    [['simulate', '--backfilling', 'off,aggressive'], 2, 'no trace was given'],
    [['serve', '--port', '99999'], 2, 'Expected a port from 0 to 65535.'],
    [['simulate', trace, '--frobnicate'], 2, "unknown option '--frobnicate'"],
    [['simulate', trace, ...site, '--output-dir', folder], 2, '--output-dir does not go with a single run'],
    [['simulate', trace, '--multi', 'm.conf'], 2, 'does not go with --multi'],
    [['simulate', '--multi', '/none.conf'], 1, '/none.conf: there is no such file'],
    [['simulat'], 2, "unknown command 'simulat' (Did you mean simulate?)"],
  ])('%j fails with status %i and one line', async (argv, expected, message) => {
    const { status, out, err } = await cli(...argv);
    expect(err).toContain(message);
    expect(err).toMatch(/^leasegraph: [^\n]*\n$/);
    expect(out).toBe('');
    expect(status).toBe(expected);
  });

  it('has help', async () => {
    const help = await cli('simulate', '--help');
    expect(help.status).toBe(0);
    expect(help.out).toMatch(/^Usage: leasegraph simulate \[options\] \[traces\.\.\.\]$/m);
    expect((await cli('help', 'simulate')).out).toBe(help.out);
    expect((await cli('--version')).out).toMatch(/^\d+\.\d+\.\d+\n$/);
    expect((await cli('--help')).out).toMatch(/^ {2}simulate +run a trace/m);
    expect((await cli()).status).toBe(2);
  });
});

describe('a comparison', () => {
  const common = `[common:general]
mode: simulated
[common:simulation]
clock: simulated
starttime: 2006-11-25 13:00:00
resources: 4 CPU:100 Memory:1024
[common:scheduling]
suspension: none
[fifo:scheduling]
backfilling: off
[easy:scheduling]
backfilling: aggressive
`;
  beforeAll(build);
  const leasegraph = async (...argv: string[]) => {
    const { code, stdout, stderr } = await runProgram(argv);
    return { status: code, out: stdout, err: stderr };
  };

  it('runs every combination and compares them', async () => {
    const multi = file('m.conf', `[multi]\ntracefiles: t.swf\ndatadir: results\n${common}`);
    const { status, out, err } = await leasegraph('simulate', '--multi', multi);
    expect(err).toBe('');
    expect(status).toBe(0);
    expect(readdirSync(path('results')).sort()).toEqual(['comparison.csv', 'easy_t.json', 'fifo_t.json']);
    expect(out).toMatch(/^fifo +t +4 +3 +0 +0 +00:01:30 /m);
    expect(out).toMatch(/^easy +t +4 +3 +0 +0 +00:00:30 /m);
    const [titles, ...rows] = readFileSync(path('results/comparison.csv'), 'utf8').trim().split('\n');
    expect(titles).toMatch(/^profile,trace,injection,leases,/);
    expect(rows.map((row) => row.split(',')[0])).toEqual(['fifo', 'easy']);
    const { leases } = JSON.parse(readFileSync(path('results/fifo_t.json'), 'utf8')) as SimulationResult;
    expect(leases.map(({ start }) => start)).toEqual([0, 100, 200, null]);
  });

  it('needs no file: several values and several traces are enough', async () => {
    const other = file('u.swf', `; another trace\n${job(1, 0, 100, 4)}${job(2, 10, 100, 4)}`);
    const argv = ['simulate', trace, other, ...site, '--backfilling', 'off,aggressive', '--json'];
    const { status, out, err } = await leasegraph(...argv, '--gantt', path('pictures'));
    expect({ status, err }).toEqual({ status: 0, err: '' });
    const runs = JSON.parse(out) as { name: string; summary: { waitingTime: { mean: number } } }[];
    expect(runs.map(({ name, summary }) => [name, summary.waitingTime.mean])).toEqual([
      ['off_t', 90],
      ['off_u', 45],
      ['aggressive_t', 30],
      ['aggressive_u', 45],
    ]);
    expect(readdirSync(path('pictures')).sort()).toEqual([
      'aggressive_t.svg',
      'aggressive_u.svg',
      'off_t.svg',
      'off_u.svg',
    ]);
  });

  it('goes on after a run that fails, and says so', async () => {
    file('bad.swf', '; nothing\n');
    const multi = file('bad.conf', `[multi]\ntracefiles: t.swf bad.swf\n${common}`);
    const { status, out, err } = await leasegraph(
      'simulate',
      '--multi',
      multi,
      '--output-dir',
      path('bad'),
      '--json',
      '--jobs',
      '1',
    );
    expect(status).toBe(1);
    expect((JSON.parse(out) as { name: string }[]).map(({ name }) => name)).toEqual(['fifo_t', 'easy_t']);
    expect(err).toContain(`leasegraph: fifo_bad: ${path('bad.swf')}:1: the trace has no leases`);
    expect(err).toMatch(/^leasegraph: 2 of 4 runs failed$/m);
  });
});
