import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readMatrix } from '../../src/config/index.ts';

const folder = mkdtempSync(join(tmpdir(), 'leasegraph-matrix-'));
afterAll(() => rmSync(folder, { recursive: true }));
mkdirSync(join(folder, 'm'));

const matrix = (text: string, name = 'multi.conf') => {
  const path = join(folder, 'm', name);
  writeFileSync(path, text);
  return readMatrix(path, []);
};
const refusal = (text: string, name?: string): string => {
  try {
    matrix(text, name);
  } catch (error) {
    return (error as Error).message.replaceAll(folder, '');
  }
  return '';
};

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
    const { runs, outputDir, warnings } = matrix(multi);
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
    expect(outputDir).toBe(join(folder, 'm/results'));
    expect(warnings).toEqual([`${folder}/m/multi.conf:10: general.loglevel has no meaning in a simulation here`]);
    expect(runs[7]).toMatchObject({
      profile: 'back+fill',
      trace: join(folder, 'm/traces/two.v2.lwf'),
      injection: join(folder, 'm/inj.lwf'),
      run: { configuration: { scheduler: { backfilling: 'aggressive' } } },
      attributes: { profile: 'back+fill', tracefile: 'two', injectfile: 'inj' },
    });
    expect(runs[0]?.run.configuration.scheduler.backfilling).toBe('off');
  });

  it.each([
    [multi.replace('tracedir', 'tracedirs'), 'multi.tracedirs: unknown key; did you mean "tracedir"?'],
    [multi.replace(/tracefiles.*\n.*\n/, ''), 'multi.tracefiles: is missing'],
    [
      multi.replace('[plain:accounting]', '[accounting]'),
      '/m/multi.conf:19: [accounting]: unknown section, expected [multi]',
    ],
    [multi.slice(0, multi.indexOf('[plain')), 'there is no profile'],
    [multi.replaceAll('[plain:', '[../plain:'), 'profile ../plain: expected a name without / and \\'],
    [multi.replace('two.v2.lwf', 'one.b.lwf'), 'two runs would have the name plain_one'],
    [multi.replace('probes: ar', 'probes: x'), '/m/multi.conf:19: accounting.probes: "x" was found'],
  ])('is refused when it is wrong', (text, message) => {
    expect(refusal(text)).toContain(message);
  });
});

describe('a multi-configuration in YAML', () => {
  const yaml = `traces: [a.swf, b.swf]
injections: [inj.lwf]
output: results
common:
  scheduler: { suspension: all, preemption: ar-preempts-everything }
profiles:
  fifo: { scheduler: { backfilling: off } }
  easy:
    scheduler:
      backfilling: aggressive
      suspension: none
`;

  it('merges each profile into the common part', () => {
    const { runs, outputDir } = matrix(yaml, 'multi.yaml');
    expect(runs.map(({ name }) => name)).toEqual([
      'fifo_a',
      'fifo_a+inj',
      'fifo_b',
      'fifo_b+inj',
      'easy_a',
      'easy_a+inj',
      'easy_b',
      'easy_b+inj',
    ]);
    expect(outputDir).toBe(join(folder, 'm/results'));
    const scheduler = (index: number) => runs[index]?.run.configuration.scheduler;
    expect(scheduler(0)).toMatchObject({ backfilling: 'off', suspension: 'all' });
    expect(scheduler(4)).toMatchObject({
      backfilling: 'aggressive',
      suspension: 'none',
      preemption: 'ar-preempts-everything',
    });
    expect(runs[1]).toMatchObject({ trace: join(folder, 'm/a.swf'), injection: join(folder, 'm/inj.lwf') });
  });

  it.each([
    [yaml.replace('injections', 'injection'), '/m/multi.yaml:2: injection: unknown key; did you mean "injections"?'],
    [yaml.replace(/traces.*/, ''), '/m/multi.yaml: traces: is missing, expected a list of files'],
    [yaml.replace(/profiles[\s\S]*/, ''), 'profiles: expected at least one configuration under its name'],
    [
      yaml.replace('backfilling: aggressive', 'backfilling: easy'),
      '/m/multi.yaml:10: scheduler.backfilling: "easy" was found, expected off, aggressive',
    ],
    [
      yaml.replace('suspension: all', 'suspension: yes'),
      '/m/multi.yaml:5: scheduler.suspension: "yes" was found, expected none, serial-only, all',
    ],
    [yaml.replace('a.swf', '3'), '/m/multi.yaml:1: traces: expected a list of files'],
  ])('names the place of what is wrong', (text, message) => {
    expect(refusal(text, 'multi.yaml')).toContain(message);
  });
});
