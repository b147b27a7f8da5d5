import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/cli/simulate/config.ts';
import { siteOption } from '../../src/config/index.ts';
import { defaultSchedulerConfig } from '../../src/core/index.ts';

const folder = mkdtempSync(join(tmpdir(), 'leasegraph-config-'));
afterAll(() => rmSync(folder, { recursive: true }));

const file = (name: string, text: string) => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};
const conf = join(folder, 'h.conf');
const ini = (text: string) => loadConfig(file('h.conf', text), []);

const MINIMAL = `[general]
mode: simulated
[simulation]
clock: simulated
starttime: 2006-11-25 13:00:00
resources: in-tracefile
[scheduling]
suspension: none
`;

const FULL = `# everything
[general]
loglevel: DEBUG
mode = simulated
lease-preparation: imagetransfer
lease-failure-handling: exit-raise ; inline

[simulation]
clock: simulated
starttime: 2006-11-25 13:00:00
resources: 4  CPU:100 Memory:1024
imagetransfer-bandwidth: 1000
stop-when: besteffort-done

[scheduling]
mapper: greedy
policy-admission: no-ARs
policy-preemption: ar-preempts-everything
policy-host-selection: no-policy
preemption-limit: 3
preemption-exempt-time: 120
preemption-peace: none
stop-victims: when-needed
node-failure: fail
wakeup-interval: 3
backfilling: intermediate
backfilling-reservations: 4
suspension: serial-only
suspend-rate: 10.5
resume-rate: 20.25
suspendresume-exclusion: global
override-suspend-time: 0
override-resume-time: 20
force-scheduling-threshold: 600
scheduling-threshold-factor: 0
migration: yes-notransfer
shutdown-time: 60
enactment-overhead: 5

[deploy-imagetransfer]
transfer-mechanism: unicast
avoid-redundant-transfers: False
force-imagetransfer-time: 30
diskimage-reuse: image-caches
diskimage-cache-size: 20480

[tracefile]
tracefile: traces/a.lwf
imagefile: none
injectionfile: /b.lwf
runtime-slowdown-overhead: 12.5
add-overhead: besteffort
bootshutdown-overhead: 15
override-memory: 256

[accounting]
datafile: results.json
probes: ar best-effort
  cpu-utilization
attributes: a=1, b = two
`;

describe("Haizea's configuration", () => {
  it.each([
    ['policy-preemption: deadline\nmapper: deadline', 'scheduling.policy-preemption and scheduling.mapper'],
    ['mapper: deadline', 'scheduling.mapper'],
    ['policy-preemption: deadline', 'scheduling.policy-preemption'],
  ])('takes %j for preemption by reservations, with one warning', (options, names) => {
    const { config, warnings } = ini(`${MINIMAL}${options}\n`);
    expect(config.scheduler.preemption).toBe('ar-preempts-everything');
    expect(warnings).toEqual([
      `${conf}:9: ${names}: deadline means ar-preempts-everything here; leases with a deadline are scheduled in any case`,
    ]);
  });

  it('lets a policy that is named win over the deadline mapper', () => {
    expect(ini(`${MINIMAL}policy-preemption: no-preemption\nmapper: deadline\n`).config.scheduler.preemption).toBe(
      'no-preemption',
    );
  });

  it('honours every option that has a meaning', () => {
    const { config, warnings, ...files } = ini(FULL);
    expect(config).toEqual({
      scheduler: {
        admission: 'no-ARs',
        hostSelection: 'no-policy',
        preemption: 'ar-preempts-everything',
        backfilling: 'intermediate',
        backfillingReservations: 4,
        suspension: 'serial-only',
        suspendRate: 10.5,
        resumeRate: 20.25,
        suspendResumeExclusion: 'global',
        overrideSuspendTime: 0,
        overrideResumeTime: 20_000,
        schedulingThresholdFactor: 0,
        forceSchedulingThreshold: 600_000,
        migration: 'yes-notransfer',
        shutdownTime: 60_000,
        enactmentOverhead: 5000,
        preparation: 'imagetransfer',
        imageTransfer: {
          bandwidth: 1000,
          mechanism: 'unicast',
          avoidRedundantTransfers: false,
          forceTransferTime: 30_000,
          reuse: 'image-caches',
          cacheSizeMb: 20480,
        },
        leaseFailureHandling: 'exit-raise',
        nodeFailure: 'fail',
        preemptionLimit: 3,
        preemptionExemptTime: 120_000,
        preemptionPeace: null,
        stopVictims: 'when-needed',
      },
      startTime: Date.UTC(2006, 10, 25, 13),
      site: siteOption('4 CPU:100 Memory:1024'),
      stopWhen: 'besteffort-done',
      quotas: [],
      overheads: { applyTo: 'besteffort', runtimeSlowdown: 12.5, bootShutdown: 15_000 },
      overrideMemory: 256,
      probes: ['ar', 'best-effort', 'cpu-utilization'],
      attributes: { a: '1', b: 'two' },
    });
    expect(files).toEqual({
      file: conf,
      siteFile: null,
      traceFile: join(folder, 'traces/a.lwf'),
      imageFile: null,
      injectionFile: '/b.lwf',
      dataFile: join(folder, 'results.json'),
    });
    expect(warnings).toEqual([
      `${conf}:3: general.loglevel has no meaning in a simulation here`,
      `${conf}:25: scheduling.wakeup-interval has no meaning in a simulation here`,
    ]);
  });

  it('has the usual defaults', () => {
    const { config, warnings } = ini(MINIMAL);
    expect(config.scheduler).toEqual(defaultSchedulerConfig);
    expect(config).toMatchObject({
      site: null,
      stopWhen: 'all-leases-done',
      overheads: { applyTo: 'none', runtimeSlowdown: 0, bootShutdown: 0 },
      overrideMemory: null,
      probes: [],
    });
    expect(warnings).toEqual([]);
  });

  it('warns of a real clock', () => {
    const { warnings } = ini(MINIMAL.replace('clock: simulated\n', ''));
    expect(warnings).toEqual([`${conf}: simulation.clock is real: a simulation here always has its own clock`]);
  });

  const plus = (text: string) => `${MINIMAL}${text}\n`;
  it.each([
    [
      'an unknown section',
      plus('[schedulin]\nbackfilling: off'),
      'UNKNOWN_SECTION',
      /^h\.conf:10: schedulin\.backfilling: unknown section; known sections are general, scheduling/,
    ],
    [
      'an unknown option',
      plus('shutdown_time: 3'),
      'UNKNOWN_KEY',
      /^h\.conf:9: scheduling\.shutdown_time: unknown key; did you mean "shutdown-time"\?$/,
    ],
    ['an inherited name', plus('constructor: 3'), 'UNKNOWN_KEY', /^h\.conf:9: scheduling\.constructor: unknown key/],
    ['an option in another case', plus('Backfilling: off'), 'UNKNOWN_KEY', /did you mean "backfilling"\?$/],
    [
      'a wrong word',
      plus('backfilling: agressive'),
      'INVALID_VALUE',
      /^h\.conf:9: scheduling\.backfilling: "agressive" was found, expected off, aggressive, intermediate, conservative$/,
    ],
    [
      'a negative time',
      plus('shutdown-time: -1'),
      'INVALID_VALUE',
      /^h\.conf:9: scheduling\.shutdown-time: -1 was found, expected a duration: seconds/,
    ],
    [
      'a rate of zero',
      plus('suspend-rate: 0'),
      'INVALID_VALUE',
      /scheduling\.suspend-rate: 0 was found, expected more than 0$/,
    ],
    [
      'no boolean',
      plus('[deploy-imagetransfer]\navoid-redundant-transfers: maybe'),
      'INVALID_VALUE',
      /was found, expected true or false$/,
    ],
    [
      'a word that every object has',
      plus('[deploy-imagetransfer]\navoid-redundant-transfers: constructor'),
      'INVALID_VALUE',
      /was found, expected true or false$/,
    ],
    [
      'an unknown probe',
      plus('[accounting]\nprobes: ar br'),
      'INVALID_VALUE',
      /accounting\.probes: "br" was found, expected ar, immediate/,
    ],
    [
      'an option twice',
      plus('suspension: all'),
      'DUPLICATE_KEY',
      /^h\.conf:9: scheduling\.suspension is already set in line 8/,
    ],
    [
      'a line that is none',
      plus('suspension'),
      'NOT_WELL_FORMED',
      /^h\.conf:9: "suspension" was found, expected \[section\], key: value/,
    ],
    [
      'an option without a section',
      'mode: simulated',
      'NOT_WELL_FORMED',
      /^h\.conf:1: .* expected a \[section\] first$/,
    ],
    [
      'no mode',
      MINIMAL.replace('mode: simulated', ''),
      'MISSING_KEY',
      /^h\.conf: general\.mode: is missing \(always required\)$/,
    ],
    [
      'another mode',
      MINIMAL.replace('mode: simulated', 'mode: opennebula'),
      'INVALID_VALUE',
      /general\.mode: "opennebula" was found, expected simulated$/,
    ],
    [
      'no start time',
      MINIMAL.replace(/starttime.*/, ''),
      'MISSING_KEY',
      /simulation\.starttime: is missing \(simulation\.clock is simulated\)/,
    ],
    [
      'no such day',
      MINIMAL.replace('2006-11-25', '2006-11-31'),
      'INVALID_VALUE',
      /simulation\.starttime: "2006-11-31 13:00:00" was found, expected an instant/,
    ],
    [
      'no site',
      MINIMAL.replace(/resources.*/, 'resources: 4'),
      'INVALID_VALUE',
      /simulation\.resources: CPU is missing, expected in-tracefile, file:PATH, or "COUNT/,
    ],
    [
      'no rates',
      MINIMAL.replace('suspension: none', 'suspension: all'),
      'MISSING_KEY',
      /scheduling\.suspend-rate: is missing \(scheduling\.suspension is all\)/,
    ],
    [
      'no number of reservations',
      plus('backfilling: intermediate'),
      'MISSING_KEY',
      /backfilling-reservations: is missing/,
    ],
    [
      'no mechanism',
      MINIMAL.replace('[simulation]', 'lease-preparation: imagetransfer\n[simulation]\nimagetransfer-bandwidth: 9'),
      'MISSING_KEY',
      /deploy-imagetransfer\.transfer-mechanism: is missing/,
    ],
  ])('refuses %s', (_, text, code, message) => {
    let error: unknown;
    try {
      ini(text);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toMatchObject({ name: 'ConfigurationError', code });
    expect((error as Error).message.replace(`${folder}/`, '')).toMatch(message);
  });

  const golden = join(import.meta.dirname, '../../../shared/golden');
  describe.skipIf(!existsSync(golden))('(the reference cases of ../shared/golden)', () => {
    it('is read as it is', () => {
      for (const name of readdirSync(golden)) {
        const path = join(golden, name, 'config.conf');
        if (existsSync(path)) expect(() => loadConfig(path, []), name).not.toThrow();
      }
    });
  });
});

describe('a configuration', () => {
  it('is told from where its paths count', () => {
    const paths = `${MINIMAL}[tracefile]\ntracefile: t/a.lwf\ninjectionfile: /b.lwf\n`;
    const loaded = loadConfig(file('paths.conf', paths), []);
    expect([loaded.traceFile, loaded.injectionFile]).toEqual([join(folder, 't/a.lwf'), '/b.lwf']);
  });

  it('yields to the command line', () => {
    const override = {
      file: '--backfilling',
      line: null,
      section: 'scheduling',
      key: 'backfilling',
      value: 'off',
    };
    const path = file('o.conf', `${MINIMAL}backfilling: conservative\n`);
    expect(loadConfig(path, [override]).config.scheduler.backfilling).toBe('off');
    expect(() => loadConfig(path, [{ ...override, value: 'x' }])).toThrow(
      '--backfilling: scheduling.backfilling: "x" was found, expected off,',
    );
  });

  it('must be there', () => {
    expect(() => loadConfig(join(folder, 'none.conf'), [])).toThrow('none.conf: there is no such file');
    expect(() => loadConfig(folder, [])).toThrow('is a directory, expected a file');
  });
});
