import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { defaultSchedulerConfig } from '../../src/core/index.ts';
import { haizeaConfig, loadHaizeaConfig } from '../../src/simulation/config/haizea.ts';
import { parseIni } from '../../src/simulation/config/ini.ts';
import { readMatrix } from '../../src/simulation/config/multi.ts';
import { parseSite } from '../../src/simulation/formats/site.ts';

const folder = mkdtempSync(join(tmpdir(), 'leasegraph-config-'));
afterAll(() => rmSync(folder, { recursive: true }));

const ini = (text: string) => haizeaConfig('/h/h.conf', parseIni('/h/h.conf', text));
const file = (name: string, text: string) => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};

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
      },
      startTime: Date.UTC(2006, 10, 25, 13),
      site: parseSite('4 CPU:100 Memory:1024'),
      stopWhen: 'besteffort-done',
      overheads: { applyTo: 'besteffort', runtimeSlowdown: 12.5, bootShutdown: 15_000 },
      overrideMemory: 256,
      probes: ['ar', 'best-effort', 'cpu-utilization'],
      attributes: { a: '1', b: 'two' },
    });
    expect(files).toEqual({
      file: '/h/h.conf',
      siteFile: null,
      traceFile: '/h/traces/a.lwf',
      imageFile: null,
      injectionFile: '/b.lwf',
      dataFile: '/h/results.json',
    });
    expect(warnings).toEqual([
      '/h/h.conf:3: general.loglevel has no meaning in a simulation here',
      '/h/h.conf:20: scheduling.wakeup-interval has no meaning in a simulation here',
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
    expect(warnings).toEqual([
      '/h/h.conf: simulation.clock is real: a simulation here always has its own clock',
    ]);
  });

  const plus = (text: string) => `${MINIMAL}${text}\n`;
  it.each([
    [
      'an unknown section',
      plus('[schedulin]\nbackfilling: off'),
      'UNKNOWN_SECTION',
      /^\/h\/h\.conf:10: unknown section in schedulin\.backfilling, expected one of general, scheduling/,
    ],
    [
      'an unknown option',
      plus('shutdown_time: 3'),
      'UNKNOWN_KEY',
      /^\/h\/h\.conf:9: unknown option scheduling\.shutdown_time, expected scheduling\.shutdown-time$/,
    ],
    [
      'an inherited name',
      plus('constructor: 3'),
      'UNKNOWN_KEY',
      /^\/h\/h\.conf:9: unknown option scheduling\.constructor/,
    ],
    [
      'an option in another case',
      plus('Backfilling: off'),
      'UNKNOWN_KEY',
      /expected scheduling\.backfilling$/,
    ],
    [
      'a wrong word',
      plus('backfilling: agressive'),
      'INVALID_VALUE',
      /^\/h\/h\.conf:9: scheduling\.backfilling is "agressive", expected off, aggressive, conservative, intermediate$/,
    ],
    [
      'a negative time',
      plus('shutdown-time: -1'),
      'INVALID_VALUE',
      /^\/h\/h\.conf:9: scheduling\.shutdown-time is "-1", expected seconds/,
    ],
    ['a rate of zero', plus('suspend-rate: 0'), 'INVALID_VALUE', /expected a number greater than 0$/],
    [
      'no boolean',
      plus('[deploy-imagetransfer]\navoid-redundant-transfers: maybe'),
      'INVALID_VALUE',
      /expected True or False$/,
    ],
    [
      'a word that every object has',
      plus('[deploy-imagetransfer]\navoid-redundant-transfers: constructor'),
      'INVALID_VALUE',
      /expected True or False$/,
    ],
    [
      'an unknown probe',
      plus('[accounting]\nprobes: ar br'),
      'INVALID_VALUE',
      /accounting\.probes is "ar br", expected some of ar, immediate/,
    ],
    [
      'an option twice',
      plus('suspension: all'),
      'DUPLICATE_KEY',
      /^\/h\/h\.conf:9: scheduling\.suspension is set a second time \(first in line 8\)/,
    ],
    [
      'a line that is none',
      plus('suspension'),
      'NOT_WELL_FORMED',
      /^\/h\/h\.conf:9: "suspension" was found, expected \[section\], key: value/,
    ],
    [
      'an option without a section',
      'mode: simulated',
      'NOT_WELL_FORMED',
      /^\/h\/h\.conf:1: .* expected a \[section\] first$/,
    ],
    [
      'no mode',
      MINIMAL.replace('mode: simulated', ''),
      'MISSING_KEY',
      /^\/h\/h\.conf: general\.mode is not set, expected simulated$/,
    ],
    [
      'another mode',
      MINIMAL.replace('mode: simulated', 'mode: opennebula'),
      'INVALID_VALUE',
      /general\.mode is "opennebula", expected simulated$/,
    ],
    [
      'no start time',
      MINIMAL.replace(/starttime.*/, ''),
      'MISSING_KEY',
      /simulation\.starttime is not set \(as simulation\.clock is simulated\)/,
    ],
    [
      'no such day',
      MINIMAL.replace('2006-11-25', '2006-11-31'),
      'INVALID_VALUE',
      /expected an instant YYYY-MM-DD HH:MM:SS/,
    ],
    [
      'no site',
      MINIMAL.replace(/resources.*/, 'resources: 4'),
      'INVALID_VALUE',
      /expected in-tracefile, file:PATH, or a site/,
    ],
    [
      'no rates',
      MINIMAL.replace('suspension: none', 'suspension: all'),
      'MISSING_KEY',
      /scheduling\.suspend-rate is not set \(as scheduling\.suspension is all\)/,
    ],
    [
      'no number of reservations',
      plus('backfilling: intermediate'),
      'MISSING_KEY',
      /backfilling-reservations is not set/,
    ],
    [
      'no mechanism',
      MINIMAL.replace(
        '[simulation]',
        'lease-preparation: imagetransfer\n[simulation]\nimagetransfer-bandwidth: 9',
      ),
      'MISSING_KEY',
      /deploy-imagetransfer\.transfer-mechanism is not set/,
    ],
  ])('refuses %s', (_, text, code, message) => {
    let error: unknown;
    try {
      ini(text);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toMatchObject({ name: 'ConfigError', code, message: expect.stringMatching(message) });
  });

  const golden = join(import.meta.dirname, '../../../shared/golden');
  describe.skipIf(!existsSync(golden))('(the reference cases of ../shared/golden)', () => {
    it('is read as it is', () => {
      for (const name of readdirSync(golden)) {
        const path = join(golden, name, 'config.conf');
        if (existsSync(path)) expect(() => loadHaizeaConfig(path), name).not.toThrow();
      }
    });
  });
});

describe('a configuration', () => {
  it('is told from where its paths count', () => {
    const loaded = loadHaizeaConfig(
      file('paths.conf', `${MINIMAL}[tracefile]\ntracefile: t/a.lwf\ninjectionfile: /b.lwf\n`),
    );
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
    expect(loadHaizeaConfig(path, [override]).config.scheduler.backfilling).toBe('off');
    expect(() => loadHaizeaConfig(path, [{ ...override, value: 'x' }])).toThrow(
      '--backfilling: scheduling.backfilling is "x", expected off,',
    );
  });

  it('must be there', () => {
    expect(() => loadHaizeaConfig(join(folder, 'none.conf'))).toThrow('none.conf: there is no such file');
    expect(() => loadHaizeaConfig(folder)).toThrow('is a directory, expected a file');
  });
});

describe('a multi-configuration', () => {
  const multi = `[multi]
tracedir: traces
tracefiles: one.lwf
  two.v2.lwf
injectiondir: .
injectionfiles: inj.lwf
datadir: results
[common:general]
mode: simulated
loglevel: DEBUG
[common:simulation]
resources: 4 CPU:100 Memory:1024
clock: simulated
starttime: 2006-11-25 13:00:00
[common:scheduling]
suspension: none
backfilling: off
[plain:accounting]
probes: ar
[back+fill:scheduling]
backfilling: aggressive
`;

  it('is every profile with every trace, without and with each injection', () => {
    const { runs, dataDir, warnings } = readMatrix('/m/multi.conf', multi);
    expect(runs.map(({ name }) => name)).toEqual([
      'plain_one',
      'plain_one+inj',
      'plain_two',
      'plain_two+inj',
      'back+fill_one',
      'back+fill_one+inj',
      'back+fill_two',
      'back+fill_two+inj',
    ]);
    expect(dataDir).toBe('/m/results');
    expect(warnings).toEqual(['/m/multi.conf:10: general.loglevel has no meaning in a simulation here']);
    expect(runs[7]).toMatchObject({
      profile: 'back+fill',
      traceFile: '/m/traces/two.v2.lwf',
      injectionFile: '/m/inj.lwf',
      config: {
        config: {
          scheduler: { backfilling: 'aggressive' },
          attributes: { profile: 'back+fill', tracefile: 'two', injectfile: 'inj' },
        },
      },
    });
    expect(runs[0]?.config.config.scheduler.backfilling).toBe('off');
  });

  it.each([
    [multi.replace('tracedir', 'tracedirs'), 'unknown option multi.tracedirs, expected one of tracedir'],
    [multi.replace(/tracefiles.*\n.*\n/, ''), 'multi.tracefiles is not set'],
    [
      multi.replace('[plain:accounting]', '[accounting]'),
      '/m/multi.conf:19: unknown section [accounting], expected [multi]',
    ],
    [multi.slice(0, multi.indexOf('[plain')), 'there is no profile'],
    [
      multi.replaceAll('[plain:', '[../plain:'),
      "profile ../plain: its name becomes a part of files' names, expected none of / and \\",
    ],
    [multi.replace('two.v2.lwf', 'one.b.lwf'), 'two runs would be named plain_one'],
    [multi.replace('probes: ar', 'probes: x'), '/m/multi.conf:19: accounting.probes is "x"'],
  ])('is refused when it is wrong', (text, message) => {
    expect(() => readMatrix('/m/multi.conf', text)).toThrow(message);
  });
});
