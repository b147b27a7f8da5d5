import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, describe, expect, test } from 'vitest';
import { CommandAdapter, type CommandOptions } from '../../src/enactment/command/adapter.ts';
import { benchOf } from '../../src/enactment/conformance/index.ts';
import { hostSite } from '../../src/enactment/index.ts';
import { type ActionCall, HostUnreachable } from '../../src/engine/ports.ts';
import { root } from '../house/sources.ts';
import { describeConformance } from './conformance.ts';

const log = pino({ level: 'silent' });
const folder = mkdtempSync(join(tmpdir(), 'leasegraph command '));
afterAll(() => rmSync(folder, { recursive: true }));

const operations = [
  'prepare',
  'start',
  'shutdown',
  'suspend',
  'resume',
  'migrate',
  'destroy',
  'inspect',
  'list',
] as const;
const every = (program: string): CommandOptions['programs'] =>
  Object.fromEntries(operations.map((each) => [each, program]));

const processes = join(folder, 'processes');
const machine = join(root, 'docs/examples/local-processes/machine');
/** Suspends a machine when the file of its name is gone. */
const holding = join(folder, 'holding');
const holds = join(folder, 'holds');
mkdirSync(holds);
writeFileSync(
  holding,
  `#!/bin/sh
hold="$HOLDS/$LEASEGRAPH_LEASE-$LEASEGRAPH_MACHINE"
[ ! -f "$hold" ] || echo suspend >>"$hold.times"
while [ -f "$hold" ]; do sleep 0.02; done
exec '${machine}' "$@"
`,
  { mode: 0o755 },
);
describeConformance({
  ...benchOf({
    adapter: {
      kind: 'command',
      programs: { ...every(machine), suspend: holding },
      timeLimit: 120_000,
      environment: { PROCESSES_DIR: processes, HOLDS: holds },
    },
    nodes: [],
    image: null,
    capacity: { CPU: 100, Memory: 64 },
    log,
  }),
  name: 'command, docs/examples/local-processes',
  patience: 60_000,
  settleTime: 300_000,
  holdSuspension: async (leaseId, machine) => {
    const hold = join(holds, `${leaseId}-${machine}`);
    writeFileSync(hold, '');
    return {
      times: () => readFileSync(`${hold}.times`, 'utf8').split('\n').length - 1,
      letGo: () => rmSync(hold),
    };
  },
  stopMachine: async (leaseId, machine, { number }) => {
    const file = join(processes, String(number), `${leaseId}-${machine}`, 'process');
    process.kill(Number(readFileSync(file, 'utf8').split(' ')[0]), 'SIGKILL');
  },
});

const site = hostSite('the site', [
  {
    number: 1,
    hostname: 'node "one"',
    address: '192.0.2.1',
    labels: { rack: 'a $(b)' },
    capacity: { CPU: 100, Memory: 1024 },
  },
  { number: 2, hostname: 'two', capacity: { CPU: 100, Memory: 1024 } },
]);

let scripts = 0;
/** An adapter whose only program is a shell script. */
const adapterWith = (script: string, options: Partial<CommandOptions> = {}): CommandAdapter => {
  scripts += 1;
  const file = join(folder, `script ${scripts}`);
  writeFileSync(file, `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o755);
  return new CommandAdapter({ programs: every(file), timeLimit: 10_000, ...options }, site, log);
};

let actions = 0;
const call = (more: Partial<ActionCall> = {}): ActionCall => {
  actions += 1;
  return {
    actionId: actions,
    target: {
      leaseId: 7,
      machine: 2,
      node: 1,
      toNode: null,
      capacity: { CPU: 100, Memory: 64, 'GPU type': 1 },
      image: { name: `"; touch '${folder}/trap' ;`, sizeMb: 8 },
    },
    signal: AbortSignal.timeout(120_000),
    deadline: null,
    ...more,
  };
};

describe('what a program is told', () => {
  test('a JSON document on standard input, and variables, and nothing of the server', async () => {
    process.env.LEASEGRAPH_ADMIN_TOKEN = 'secret';
    const seen = join(folder, 'seen');
    const adapter = adapterWith(`cat >'${seen}.json'; env >'${seen}.env'; echo "$1" >'${seen}.args'`, {
      environment: { OWN: 'a b' },
    });
    const deadline = Date.now() + 60_000;
    const target = { ...call().target, toNode: 2 };
    expect(await adapter.migrate(call({ actionId: 12, deadline, target }))).toEqual({ status: 'done' });
    delete process.env.LEASEGRAPH_ADMIN_TOKEN;
    const [one, two] = site.nodes();
    expect(JSON.parse(readFileSync(`${seen}.json`, 'utf8'))).toEqual({
      operation: 'migrate',
      site: 'the site',
      action: 12,
      deadline: new Date(deadline).toISOString(),
      lease: 7,
      machine: 2,
      node: one,
      toNode: two,
      capacity: target.capacity,
      image: target.image,
    });
    expect(readFileSync(`${seen}.args`, 'utf8')).toBe('migrate\n');
    const variables = readFileSync(`${seen}.env`, 'utf8').split('\n');
    expect(variables).toContain('OWN=a b');
    expect(variables.filter((line) => line.startsWith('LEASEGRAPH_')).sort()).toEqual([
      'LEASEGRAPH_ACTION=12',
      'LEASEGRAPH_ADDRESS=192.0.2.1',
      'LEASEGRAPH_CAPACITY_CPU=100',
      'LEASEGRAPH_CAPACITY_MEMORY=64',
      `LEASEGRAPH_DEADLINE=${new Date(deadline).toISOString()}`,
      'LEASEGRAPH_HOSTNAME=node "one"',
      `LEASEGRAPH_IMAGE="; touch '${folder}/trap' ;`,
      'LEASEGRAPH_IMAGE_SIZE_MB=8',
      'LEASEGRAPH_LEASE=7',
      'LEASEGRAPH_MACHINE=2',
      'LEASEGRAPH_NODE=1',
      'LEASEGRAPH_OPERATION=migrate',
      'LEASEGRAPH_SITE=the site',
      'LEASEGRAPH_TO_ADDRESS=two',
      'LEASEGRAPH_TO_HOSTNAME=two',
      'LEASEGRAPH_TO_NODE=2',
    ]);
    expect(existsSync(join(folder, 'trap'))).toBe(false);
  });

  test('the name, owner, project and times of the lease, where they are known', async () => {
    const adapter = adapterWith('cat; echo "$LEASEGRAPH_NAME/$LEASEGRAPH_OWNER." >&2');
    const told = async (lease: ActionCall['lease']): Promise<string> =>
      (await adapter.start(call({ lease }))).output ?? '';
    const facts = { owner: null, project: 3, start: Date.UTC(2030, 0, 31), end: null };
    const named = await told({ name: 'nightly "build" $(x)', ...facts });
    expect(named).toContain('nightly "build" $(x)/.\n');
    expect(named).toContain(
      '"name":"nightly \\"build\\" $(x)","owner":null,"project":3,"start":"2030-01-31T00:00:00.000Z","end":null',
    );
    expect(await told(undefined)).not.toContain('"owner"');
  });
});

describe('what a program answers', () => {
  test.each([
    ['exit 0', { status: 'done' }],
    [`echo '{"status":"done"}'`, { status: 'done', output: '{"status":"done"}\n' }],
    ['echo words; echo more >&2', { status: 'done', output: 'more\nwords\n' }],
    [
      `echo '{"status":"failed","reason":"no disk"}'`,
      { status: 'failed', reason: 'no disk', output: '{"status":"failed","reason":"no disk"}\n' },
    ],
    [
      `echo '{"status":"failed","reason":"no disk"}'; exit 3`,
      { status: 'failed', reason: 'no disk', output: '{"status":"failed","reason":"no disk"}\n' },
    ],
    ['echo first >&2; echo last >&2; exit 1', { status: 'failed', reason: 'start: last', output: 'first\nlast\n' }],
    ['exit 4', { status: 'failed', reason: 'start exited with 4' }],
    ['kill -KILL $$', { status: 'failed', reason: 'start was ended by a signal' }],
    [
      `echo '{"state":"ok"}'`,
      {
        status: 'failed',
        reason: 'start printed JSON that is no answer: "{\\"state\\":\\"ok\\"}\\n"',
        output: '{"state":"ok"}\n',
      },
    ],
  ])('%s', async (script, result) => {
    expect(await adapterWith(script).start(call())).toEqual(result);
  });

  test('statuses of sysexits.h: the host is out of reach, or it may work another time', async () => {
    const away = adapterWith('echo no route >&2; exit 69');
    await expect(away.start(call())).rejects.toThrow(HostUnreachable);
    await expect(away.inspect({ leaseId: 1, machine: 1, node: 1 }, AbortSignal.timeout(120_000))).rejects.toThrow(
      'inspect: no route',
    );
    const busy = adapterWith('echo busy >&2; exit 75').start(call());
    await expect(busy).rejects.toThrow('start: busy');
    await expect(busy).rejects.not.toThrow(HostUnreachable);
    await expect(busy).rejects.toMatchObject({ output: 'busy\n' });
  });

  test('an inspection that cannot be read is an error, and no status', async () => {
    const place = { leaseId: 1, machine: 1, node: 1 };
    const signal = AbortSignal.timeout(120_000);
    await expect(adapterWith('echo gone').inspect(place, signal)).rejects.toThrow('no answer that can be read: "gone');
    await expect(adapterWith('exit 1').inspect(place, signal)).rejects.toThrow('inspect exited with 1');
  });

  test('output is bounded: the end of it is kept, also of an error', async () => {
    const { output } = await adapterWith('seq 1 100000 >&2; seq 1 100000').start(call());
    expect(output?.length).toBe(4_096);
    const busy = adapterWith('seq 1 100000; echo last; exit 75').start(call());
    const error: { readonly output?: string } = await busy.then(
      () => ({}),
      (failure) => failure,
    );
    expect([error.output?.length, error.output?.endsWith('\nlast\n')]).toEqual([4_096, true]);
  });

  test('a program that is not there is a failure, not an error to try again', async () => {
    const adapter = new CommandAdapter({ programs: every(join(folder, 'none')), timeLimit: 1_000 }, site, log);
    expect(await adapter.start(call())).toMatchObject({ status: 'failed', reason: /none cannot be started/ });
  });
});

describe('time', () => {
  /** Writes the number of a process of its group that sleeps for ever. */
  const sleeper = (file: string): string => `sleep 1000 & echo $! >'${file}.new'; mv '${file}.new' '${file}'; wait`;
  const pidIn = async (file: string): Promise<number> => {
    while (!existsSync(file)) await new Promise((resolve) => setTimeout(resolve, 10));
    return Number(readFileSync(file, 'utf8'));
  };
  const ends = async (pid: number): Promise<void> => {
    for (;;) {
      try {
        process.kill(pid, 0);
        // A zombie has ended; its new parent may take its time.
        if (/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))) return;
      } catch {
        return;
      }
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };

  test('a program that takes too long is killed with all that it started', async () => {
    const file = join(folder, 'too-long');
    const script = `echo begun; echo 'still going' >&2; ${sleeper(file)}`;
    const adapter = adapterWith(script, { timeLimits: { start: 300 } });
    const started = adapter.start(call());
    await expect(started).rejects.toMatchObject({
      message: expect.stringContaining('did not end within 0.3 s and was killed'),
      output: 'still going\nbegun\n',
    });
    await ends(await pidIn(file));
  });

  test('an aborted call kills its program with all that it started', async () => {
    const file = join(folder, 'aborted');
    const controller = new AbortController();
    const started = adapterWith(sleeper(file)).start(call({ signal: controller.signal }));
    const pid = await pidIn(file);
    controller.abort();
    await expect(started).rejects.toThrow();
    await ends(pid);
  });

  test('beyond its deadline a call is pending, its program goes on, and the same call has its result', async () => {
    const file = join(folder, 'runs');
    const adapter = adapterWith(`echo run >>'${file}'; while [ ! -f '${file}.go' ]; do sleep 0.02; done`);
    const slow = call({ deadline: Date.now() });
    expect(await adapter.start(slow)).toEqual({ status: 'pending' });
    expect(await adapter.start(slow)).toEqual({ status: 'pending' });
    writeFileSync(`${file}.go`, '');
    expect(await adapter.start({ ...slow, deadline: null })).toEqual({ status: 'done' });
    expect(readFileSync(file, 'utf8')).toBe('run\n');
  });
});

test.runIf(existsSync('/proc/self/stat'))(
  'local processes are not taken for others when the clock is corrected',
  async () => {
    const bin = join(folder, 'bin');
    mkdirSync(bin);
    // The time of day at which a process began is another one each time.
    const ps = `#!/bin/sh\ncase "$*" in *lstart*) date +%N ;; *) PATH=$REAL_PATH exec ps "$@" ;; esac\n`;
    writeFileSync(join(bin, 'ps'), ps, { mode: 0o755 });
    const real = process.env.PATH ?? '';
    const adapter = new CommandAdapter(
      {
        programs: every(join(root, 'docs/examples/local-processes/machine')),
        timeLimit: 120_000,
        environment: { PROCESSES_DIR: join(folder, 'corrected'), PATH: `${bin}:${real}`, REAL_PATH: real },
      },
      site,
      log,
    );
    const target = { ...call().target, image: null };
    const place = { leaseId: 7, machine: 2, node: 1 };
    expect(await adapter.start(call({ target }))).toMatchObject({ status: 'done' });
    expect(await adapter.inspect(place, AbortSignal.timeout(120_000))).toBe('running');
    expect(await adapter.destroy(call({ target }))).toMatchObject({ status: 'done' });
    expect(await adapter.inspect(place, AbortSignal.timeout(120_000))).toBe('absent');
  },
);
