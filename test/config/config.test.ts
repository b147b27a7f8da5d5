import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { adminToken, type ConfigurationError, keptToken, loadConfiguration } from '../../src/config/index.ts';
import { defaultSchedulerConfig } from '../../src/core/index.ts';

const scratch = mkdtempSync(join(tmpdir(), 'leasegraph-config-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

let count = 0;
const file = (text: string, ending = 'yaml') => {
  const path = join(scratch, `${++count}.${ending}`);
  writeFileSync(path, text);
  return path;
};
const load = (text: string, ending?: string) => loadConfiguration({ LEASEGRAPH_CONFIG: file(text, ending) });
const problems = (text: string, ending?: string): string[] => {
  try {
    load(text, ending);
  } catch (error) {
    return (error as ConfigurationError).message
      .split('\n')
      .map((line) => line.replace(`${scratch}/${count}.${ending ?? 'yaml'}`, 'FILE'));
  }
  return [];
};

describe('the environment', () => {
  it('has defaults for everything', () => {
    expect(loadConfiguration({})).toMatchObject({
      databaseUrl: null,
      dataDir: join(process.cwd(), 'data'),
      host: '127.0.0.1',
      port: 4000,
      adminToken: null,
      site: null,
      scheduler: defaultSchedulerConfig,
      clock: { speed: 1 },
    });
  });

  it('takes an empty variable for none', () => {
    const empty = {
      PORT: '',
      HOST: '',
      DATABASE_URL: '',
      LEASEGRAPH_DATA_DIR: '',
      LEASEGRAPH_CONFIG: '',
      LEASEGRAPH_ADMIN_TOKEN: '',
    };
    expect(loadConfiguration(empty)).toEqual(loadConfiguration({}));
  });

  it('takes the key of secrets in base64 or hexadecimal, also from a file', () => {
    const key = new Uint8Array(randomBytes(32));
    const base64 = Buffer.from(key).toString('base64');
    for (const LEASEGRAPH_SECRETS_KEY of [base64, Buffer.from(key).toString('hex')])
      expect(loadConfiguration({ LEASEGRAPH_SECRETS_KEY }).secretsKey).toEqual(key);
    expect(loadConfiguration({ LEASEGRAPH_SECRETS_KEY_FILE: file(`${base64}\n`, 'key') }).secretsKey).toEqual(key);
    expect(loadConfiguration({}).secretsKey).toBeNull();
  });

  it.each([
    [{ PORT: 'http' }, 'PORT'],
    [{ PORT: '65536' }, 'PORT'],
    [{ PORT: '-1' }, 'PORT'],
    [{ DATABASE_URL: 'mysql://localhost/x' }, 'DATABASE_URL'],
    [{ LEASEGRAPH_ADMIN_TOKEN: 'two words' }, 'LEASEGRAPH_ADMIN_TOKEN'],
    [{ LEASEGRAPH_LOG_LEVEL: 'loud' }, 'LEASEGRAPH_LOG_LEVEL'],
    [{ LEASEGRAPH_SECRETS_KEY: 'too short' }, 'LEASEGRAPH_SECRETS_KEY: expected a key of 32 bytes'],
    [{ LEASEGRAPH_SECRETS_KEY: '!'.repeat(44) }, 'LEASEGRAPH_SECRETS_KEY: expected a key of 32 bytes'],
    [{ LEASEGRAPH_SECRETS_KEY_FILE: '/nowhere/key' }, '/nowhere/key'],
    [{ LEASEGRAPH_SECRETS_KEY: 'a', LEASEGRAPH_SECRETS_KEY_FILE: 'b' }, 'are both set'],
    [{ LEASEGRAPH_CONFIG: '/nowhere/at/all.yaml' }, '/nowhere/at/all.yaml'],
  ])('names what is wrong in %j', (environment, name) => {
    expect(() => loadConfiguration(environment)).toThrow(name);
  });

  it('does not repeat secrets in its errors', () => {
    expect(() => loadConfiguration({ DATABASE_URL: 'mysql://user:hunter2@localhost/x' })).toThrow(
      expect.not.objectContaining({ message: expect.stringContaining('hunter2') }),
    );
  });
});

describe('the configuration file', () => {
  const site =
    'site: { name: lab, nodes: [{ count: 2, capacity: { CPU: 100, Memory: 1024 } }, { hostname: big, capacity: { CPU: [100, 100], Memory: 4096, GPU: 1 } }] }';

  it('describes the site, node by node', () => {
    expect(load(site).site).toEqual({
      name: 'lab',
      spec: {
        resourceTypes: ['CPU', 'Memory', 'GPU'],
        nodes: [
          { number: 1, hostname: 'node-1', capacity: { CPU: 100, Memory: 1024 } },
          { number: 2, hostname: 'node-2', capacity: { CPU: 100, Memory: 1024 } },
          { number: 3, hostname: 'big', capacity: { CPU: [100, 100], Memory: 4096, GPU: 1 } },
        ],
      },
    });
  });

  it('may be JSON, and may be empty', () => {
    expect(load('{ "clock": { "speed": 60 } }', 'json').clock.speed).toBe(60);
    expect(load('').clock.speed).toBe(1);
    expect(load('# nothing\n').site).toBeNull();
  });

  it('takes durations as seconds and as ISO 8601', () => {
    const { scheduler, limits, events, actions, idempotencyKeys } = load(`
scheduler: { backfilling: off, suspension: all, shutdownTime: 30, enactmentOverhead: PT1.5S, overrideSuspendTime: null, imageTransfer: { forceTransferTime: PT1M } }
limits: { operationTimeout: PT10S, depth: 5 }
events: { retention: P30D }
actions: { retention: null }
idempotencyKeys: { retention: P1DT12H }`);
    expect(scheduler).toEqual({
      ...defaultSchedulerConfig,
      backfilling: 'off',
      suspension: 'all',
      shutdownTime: 30_000,
      enactmentOverhead: 1_500,
      imageTransfer: { ...defaultSchedulerConfig.imageTransfer, forceTransferTime: 60_000 },
    });
    expect(limits).toMatchObject({ operationTimeout: 10_000, depth: 5, tokens: 5_000 });
    expect(events.retention).toBe(30 * 86_400_000);
    expect(actions.retention).toBeNull();
    expect(idempotencyKeys.retention).toBe(36 * 3_600_000);
  });

  it.each([
    ['90', 90_000],
    ['2.5', 2_500],
    ['"90m"', 5_400_000],
    ['1h30m', 5_400_000],
    ['1w', 604_800_000],
    ['PT1H30M', 5_400_000],
    ['P1W', 604_800_000],
  ])('takes the duration %s', (text, millis) => {
    expect(load(`scheduler: { shutdownTime: ${text} }`).scheduler.shutdownTime).toBe(millis);
  });

  it.each(['1M', 'PT', 'P', 'P1M', 'P1Y', '-5', '1x', '""', 'PT-1S'])('refuses the duration %s', (text) => {
    expect(problems(`scheduler: { shutdownTime: ${text} }`)).toEqual([
      expect.stringMatching(/^FILE:1: scheduler\.shutdownTime: .* was found, expected a duration: seconds, 1h30m/),
    ]);
  });

  it('honours merge keys of YAML', () => {
    const { site } = load(`
site:
  nodes:
    - &small { hostname: a, capacity: { CPU: 100, Memory: 1024 } }
    - { <<: *small, hostname: b }`);
    expect(site?.spec.nodes.map(({ hostname, capacity }) => [hostname, capacity.CPU])).toEqual([
      ['a', 100],
      ['b', 100],
    ]);
  });

  it('finds the files of adapters beside itself', () => {
    const paths = (text: string) => load(text).adapters;
    expect(paths('adapter: { kind: simulated, stateFile: ./state.json }')).toEqual([
      { kind: 'simulated', stateFile: join(scratch, 'state.json') },
    ]);
    expect(paths('adapter: { kind: command, program: ./run, programs: { start: /bin/start } }')).toMatchObject([
      { programs: { start: '/bin/start', destroy: join(scratch, 'run'), list: join(scratch, 'run') } },
    ]);
    expect(paths('adapter: { kind: libvirt, template: d.xml, images: { repository: images } }')).toMatchObject([
      {
        template: join(scratch, 'd.xml'),
        images: { repository: join(scratch, 'images') },
        domainType: 'kvm',
      },
    ]);
    expect(
      paths('adapter: { kind: libvirt, uri: test:///default, images: { repository: "host:/images" } }'),
    ).toMatchObject([{ images: { repository: 'host:/images' }, domainType: 'test' }]);
  });

  it('takes several adapters, each for its nodes, and an address and labels for each node', () => {
    const { adapters, site } = load(`
adapters:
  - { kind: dry-run, nodes: { hostnames: ['blade-*'], labels: { rack: a } } }
  - { kind: simulated }
site:
  nodes:
    - { count: 2, hostname: blade-%d, address: 192.0.2.%d, labels: { rack: a }, capacity: { CPU: 100, Memory: 1024 } }
    - { hostname: other, capacity: { CPU: 100, Memory: 1024 } }`);
    expect(adapters).toEqual([
      { kind: 'dry-run', nodes: { hostnames: ['blade-*'], labels: { rack: 'a' } } },
      { kind: 'simulated' },
    ]);
    expect(site?.spec.nodes.map(({ hostname, address, labels }) => ({ hostname, address, labels }))).toEqual([
      { hostname: 'blade-1', address: '192.0.2.1', labels: { rack: 'a' } },
      { hostname: 'blade-2', address: '192.0.2.2', labels: { rack: 'a' } },
      { hostname: 'other', address: undefined, labels: undefined },
    ]);
  });

  it.each([
    [
      'adapter: { kind: command, programs: { start: ./start } }',
      'FILE:1: adapter.programs: expected a program for prepare, shutdown, suspend, resume, migrate, destroy, inspect',
    ],
    ['adapter: { kind: libvirt, directory: relative }', 'FILE:1: adapter.directory: '],
    ['adapter: { kind: libvirt, namePrefix: "a b" }', 'FILE:1: adapter.namePrefix: '],
    ['adapter: { kind: simulated, delays: { start: [5, 1] } }', 'FILE:1: adapter.delays.start: '],
    ['{ adapter: { kind: dry-run }, adapters: [{ kind: dry-run }] }', 'FILE:1: adapters: stands beside adapter'],
  ])('refuses %s', (text, problem) => {
    expect(problems(text)).toEqual([expect.stringContaining(problem)]);
  });

  it('finds modules of policies beside itself', () => {
    expect(load('scheduler: { admission: ./mine.js }').scheduler.admission).toBe(join(scratch, 'mine.js'));
  });

  it.each([
    ['clock: { sped: 2 }', 'FILE:1: clock.sped: unknown key; did you mean "speed"?'],
    ['colour: red', 'FILE:1: colour: unknown key; known keys are site, scheduler, clock'],
    ['scheduler: { backfiling: off }', 'FILE:1: scheduler.backfiling: unknown key; did you mean "backfilling"?'],
    [
      'scheduler: { imageTransfer: { bandwith: 1 } }',
      'FILE:1: scheduler.imageTransfer.bandwith: unknown key; did you mean "bandwidth"?',
    ],
    [
      'site: { nodes: [{ cout: 2, capacity: { CPU: 1, Memory: 1 } }] }',
      'FILE:1: site.nodes[0].cout: unknown key; did you mean "count"?',
    ],
    ['adapter: { delays: { strt: 1 } }', 'FILE:1: adapter.delays.strt: unknown key; did you mean "start"?'],
    ['adapter: { colour: red }', 'FILE:1: adapter.colour: unknown key; known keys are kind, delays'],
    [
      'adapter: { kind: dry-run, failureProbability: 0.5 }',
      'FILE:1: adapter.failureProbability: unknown key; known keys are kind',
    ],
    ['clock: { speed: fast }', 'FILE:1: clock.speed: "fast" was found, expected a number'],
    ['clock: { speed: 0 }', 'FILE:1: clock.speed: 0 was found, expected more than 0'],
    ['limits: { depth: 1.5 }', 'FILE:1: limits.depth: 1.5 was found, expected a whole number'],
    ['site: { nodes: [{ count: 2 }] }', 'FILE:1: site.nodes[0].capacity: is missing, expected keys and values'],
    ['scheduler: { shutdownTime: P1M }', 'FILE:1: scheduler.shutdownTime: "P1M" was found, expected a duration'],
    ['scheduler: { shutdownTime: -1 }', 'FILE:1: scheduler.shutdownTime: -1 was found, expected a duration'],
    [
      'scheduler: { backfilling: sometimes }',
      'FILE:1: scheduler.backfilling: "sometimes" was found, expected off, aggressive, intermediate, conservative',
    ],
    ['scheduler: { admission: acept-all }', 'FILE:1: scheduler.admission: "acept-all" was found, expected accept-all'],
    ['site: { nodes: [] }', 'FILE:1: site.nodes: [] was found, expected at least 1 elements'],
    [
      'site: { nodes: [{ capacity: { CPU: 1 } }] }',
      'FILE:1: site.nodes[0].capacity: expected CPU and Memory among the keys',
    ],
    [
      'site: { nodes: [{ capacity: { CPU: 1.5, Memory: 1 } }] }',
      'FILE:1: site.nodes[0].capacity.CPU: expected a whole number, or a list of them',
    ],
    [
      'site: { nodes: [{ count: 2, hostname: same, capacity: { CPU: 1, Memory: 1 } }] }',
      'FILE: site.nodes[0].hostname: ',
    ],
    [
      'site: { nodes: [{ hostname: a, capacity: { CPU: 1, Memory: 1 } }, { hostname: a, capacity: { CPU: 1, Memory: 1 } }] }',
      'FILE: site.nodes: two nodes have the hostname "a"',
    ],
    [
      'site: { resourceTypes: [CPU, Memory], nodes: [{ capacity: { CPU: 1, Memory: 1, GPU: 1 } }] }',
      'FILE: site: node node-1 has "GPU"',
    ],
    ['site: { name: "a\\0b", nodes: [{ capacity: { CPU: 1, Memory: 1 } }] }', 'FILE:1: site.name: expected no control'],
    [
      'site: { nodes: [{ hostname: "a\\e[2J", capacity: { CPU: 1, Memory: 1 } }] }',
      'FILE:1: site.nodes[0].hostname: expected no control',
    ],
    ['site: { nodes: [{ capacity: { CPU: 1, Memory: 1, "a\\0": 1 } }] }', 'FILE:1: site.nodes[0].capacity.a\0: '],
    [
      'site: { resourceTypes: [CPU, Memory, "\\uD800"], nodes: [{ capacity: { CPU: 1, Memory: 1 } }] }',
      'FILE:1: site.resourceTypes[2]: expected no control characters and no unpaired surrogates',
    ],
    // Node.js takes a timer that is too long for one of no time.
    ['limits: { operationTimeout: P25D }', 'FILE:1: limits.operationTimeout: expected at most 24 days'],
    ['limits: { operationTimeout: 0 }', 'FILE:1: limits.operationTimeout: expected more than 0'],
    ['adapter: { delays: { start: P25D } }', 'FILE:1: adapter.delays.start: expected at most 24 days'],
    ['adapter: { kind: magic }', 'FILE:1: adapter.kind: '],
    ['- a list', 'FILE: the file: '],
  ])('names what is wrong in %s', (text, message) => {
    const found = problems(text);
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(message);
  });

  it('knows a configuration in Haizea’s form, which a server cannot have', () => {
    expect(problems('# mine\n\n[general]\nmode: simulated\n', 'conf')).toEqual([
      expect.stringMatching(/^FILE: is in Haizea's form, which only simulations read; expected YAML or JSON/),
    ]);
  });

  it('says everything that is wrong at once', () => {
    expect(problems('clock: { sped: 1 }\nlimits: { depth: 0 }\nsimulation: { probes: 3 }')).toHaveLength(3);
  });

  it('tells the line of what is no YAML, and survives what is meant to hurt', () => {
    expect(problems('clock:\n  speed: [1\n')[0]).toMatch(/^FILE:\d: not well-formed/);
    const bomb = [
      'a: &a [x]',
      ...Array.from(
        { length: 30 },
        (_, i) =>
          `b${i}: &b${i} [${Array(9)
            .fill(`*${i === 0 ? 'a' : `b${i - 1}`}`)
            .join(',')}]`,
      ),
    ].join('\n');
    expect(problems(bomb)[0]).toMatch(/^FILE: /);
    expect(problems('__proto__: { polluted: true }')[0]).toContain('__proto__: unknown key');
  });
});

describe('operations that are planned to take no time', () => {
  const planned = (adapter: string) => {
    const text = `adapter: ${adapter}\nscheduler: { overrideSuspendTime: 0 }`;
    const { overrideResumeTime, overrideSuspendTime, shutdownTime } = loadConfiguration({
      LEASEGRAPH_CONFIG: file(text),
    }).scheduler;
    return [shutdownTime, overrideSuspendTime, overrideResumeTime];
  };

  it.each([
    ['{ kind: simulated }', [0, 0, null]],
    ['{ kind: dry-run }', [0, 0, null]],
    ['{ kind: simulated, delays: { shutdown: 3 } }', [1_000, 1_000, null]],
    ['{ kind: libvirt }', [1_000, 1_000, null]],
  ])('take a second at least where hosts take time: %s', (adapter, times) => {
    expect(planned(adapter)).toEqual(times);
  });
});

describe('the admin token', () => {
  it('is made once, for its owner only, and kept', () => {
    const directory = join(scratch, 'data');
    expect(keptToken(directory)).toBeNull();
    const made = adminToken(directory);
    expect(made).toMatchObject({ made: true, token: expect.stringMatching(/^lg_[\w-]{43}$/) });
    expect(statSync(made.file).mode & 0o777).toBe(0o600);
    chmodSync(made.file, 0o644);
    expect(adminToken(directory)).toEqual({ ...made, made: false });
    expect(statSync(made.file).mode & 0o777).toBe(0o600);
    expect(keptToken(directory)).toBe(made.token);
    expect(readFileSync(made.file, 'utf8')).toBe(`${made.token}\n`);
    writeFileSync(made.file, 'not a\ntoken');
    expect(() => adminToken(directory)).toThrow(made.file);
  });

  it('is another one elsewhere', () => {
    expect(adminToken(join(scratch, 'a')).token).not.toBe(adminToken(join(scratch, 'b')).token);
  });

  it('says so when it cannot be kept', () => {
    expect(() => adminToken(join(file('in the way'), 'data'))).toThrow(
      /admin-token: the admin token cannot be (read|written)/,
    );
  });
});

describe('what a server plans at least for operations of hosts', () => {
  const planned = (adapters: string, scheduler = '') => {
    const { overrideResumeTime, overrideSuspendTime, shutdownTime } = load(
      `${adapters}\nscheduler: { suspension: all${scheduler} }`,
    ).scheduler;
    return [shutdownTime, overrideSuspendTime, overrideResumeTime];
  };
  const site = 'site: { nodes: [{ hostname: a, capacity: { CPU: 100, Memory: 1024 } }] }';

  it.each([
    ['', ''],
    ['adapter: { kind: simulated }', ''],
    ['adapter: { kind: simulated, failureProbability: 0.5 }', ''],
    ['adapter: { kind: dry-run }', ''],
    ['adapters: [{ kind: simulated, nodes: { hostnames: [a] } }, { kind: dry-run }]', ''],
  ])('is nothing with hosts that take no time: %s', (adapters) => {
    expect(planned(`${site}\n${adapters}`)).toEqual([0, null, null]);
    expect(planned(`${site}\n${adapters}`, ', overrideSuspendTime: 0, overrideResumeTime: 0')).toEqual([0, 0, 0]);
  });

  it.each([
    ['adapter: { kind: simulated, delays: { shutdown: 1 } }'],
    ['adapter: { kind: simulated, stuckProbability: 0.1 }'],
    ['adapter: { kind: command, program: ./run }'],
    ['adapter: { kind: libvirt }'],
    ['adapter: { kind: module, path: ./mine.mjs }'],
    ['adapters: [{ kind: dry-run, nodes: { hostnames: [a] } }, { kind: libvirt }]'],
  ])('is a second with others: %s', (adapters) => {
    expect(planned(`${site}\n${adapters}`)).toEqual([1_000, null, null]);
    expect(planned(`${site}\n${adapters}`, ', overrideSuspendTime: 0, overrideResumeTime: 0.5')).toEqual([
      1_000, 1_000, 1_000,
    ]);
    expect(
      planned(`${site}\n${adapters}`, ', shutdownTime: 20, overrideSuspendTime: 8, overrideResumeTime: 9'),
    ).toEqual([20_000, 8_000, 9_000]);
  });
});
