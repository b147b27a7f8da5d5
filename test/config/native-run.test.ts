import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/cli/simulate/config.ts';
import { defaultSchedulerConfig } from '../../src/core/index.ts';

const folder = mkdtempSync(join(tmpdir(), 'leasegraph-config-'));
afterAll(() => rmSync(folder, { recursive: true }));

const file = (name: string, text: string) => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};
const option = (section: string, key: string, value: string) => ({
  file: '--set',
  line: null,
  section,
  key,
  value,
});

const YAML = `site:
  nodes:
    - { count: 4, capacity: { CPU: 100, Memory: 1024 } }
scheduler:
  backfilling: off
  suspension: all
  overrideSuspendTime: 5
  admission: ./policies/mine.js
  imageTransfer: { avoidRedundantTransfers: false }
clock: { speed: 60 }
simulation:
  startTime: 2006-11-25 13:00:00
  stopWhen: besteffort-done
  overheads: { applyTo: besteffort, runtimeSlowdown: 12.5, bootShutdown: PT15S }
  probes: [ar, best-effort]
  attributes: { a: 1 }
  trace: t.swf
  inject: /i.lwf
`;

describe('the native configuration', () => {
  it('is the server’s, with a section for simulations', () => {
    const loaded = loadConfig(file('n.yaml', YAML), []);
    expect(loaded).toMatchObject({
      config: {
        scheduler: {
          ...defaultSchedulerConfig,
          backfilling: 'off',
          suspension: 'all',
          overrideSuspendTime: 5000,
          admission: join(folder, 'policies/mine.js'),
          imageTransfer: { ...defaultSchedulerConfig.imageTransfer, avoidRedundantTransfers: false },
        },
        startTime: Date.UTC(2006, 10, 25, 13),
        stopWhen: 'besteffort-done',
        overheads: { applyTo: 'besteffort', runtimeSlowdown: 12.5, bootShutdown: 15_000 },
        overrideMemory: null,
        probes: ['ar', 'best-effort'],
        attributes: { a: '1' },
      },
      traceFile: join(folder, 't.swf'),
      injectionFile: '/i.lwf',
      imageFile: null,
      dataFile: null,
    });
    expect(loaded.config.site?.nodes).toHaveLength(4);
  });

  it('may be JSON, or empty', () => {
    const { config } = loadConfig(file('n.json', '{ "scheduler": { "shutdownTime": 2.5 } }'), []);
    expect(config).toEqual({
      ...loadConfig(null, []).config,
      scheduler: { ...defaultSchedulerConfig, shutdownTime: 2500 },
    });
    expect(loadConfig(file('e.yml', ''), []).config).toEqual(loadConfig(null, []).config);
  });

  it.each([
    ['scheduler: { backfiling: off }', 'scheduler.backfiling: unknown key; did you mean "backfilling"?'],
    ['scheduler: { suspendRate: -3 }', 'scheduler.suspendRate: '],
    [
      'simulation: { startTime: yesterday }',
      'simulation.startTime: "yesterday" was found, expected an instant such as',
    ],
    ['simulation: { probes: [ar, br] }', 'simulation.probes[1]: "br" was found, expected ar, immediate,'],
    ['simulation: { stopWhen: never }', 'simulation.stopWhen: '],
    ['simulation: { overheads: { applyTo: some } }', 'simulation.overheads.applyTo: '],
    ['simulation: [', ':1: not well-formed: '],
  ])('refuses %j', (text, message) => {
    expect(() => loadConfig(file('n.yaml', text), [])).toThrow(message);
  });
});

describe('options of the command line', () => {
  it('win over every form of configuration, and over none', () => {
    const overrides = [
      option('scheduling', 'backfilling', 'conservative'),
      option('scheduling', 'override-suspend-time', 'none'),
      option('accounting', 'attributes', 'b=2'),
      option('simulation', 'resources', '2 CPU:1 Memory:1'),
    ];
    const { config } = loadConfig(file('n.yaml', YAML), overrides);
    expect(config).toMatchObject({
      scheduler: { backfilling: 'conservative', suspension: 'all', overrideSuspendTime: null },
      attributes: { a: '1', b: '2' },
      site: { nodes: { length: 2 } },
    });
    expect(loadConfig(null, overrides).config.scheduler).toEqual({
      ...defaultSchedulerConfig,
      backfilling: 'conservative',
    });
  });

  it('name themselves when they are wrong', () => {
    expect(() => loadConfig(null, [option('scheduling', 'backfilling', 'x')])).toThrow(
      '--set: scheduling.backfilling: "x" was found, expected off,',
    );
  });
});
