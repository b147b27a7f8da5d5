import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { siteOption } from '../../src/config/index.ts';
import { TraceError } from '../../src/simulation/errors.ts';
import { fileSource } from '../../src/simulation/formats/source.ts';
import { readTrace } from '../../src/simulation/formats/trace.ts';
import { loadWorkload } from '../../src/simulation/load.ts';
import { applyOverheads, noOverheads, overrideMemory } from '../../src/simulation/overheads.ts';
import type { TraceLease } from '../../src/simulation/workload.ts';
import { loadRun } from '../support/load-run.ts';

const folder = mkdtempSync(join(tmpdir(), 'leasegraph-load-'));
afterAll(() => rmSync(folder, { recursive: true }));

const file = (name: string, text: string) => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};
const line = (submit: number, start = -1) => `${submit} ${start} 60 60 1 1 512 0 x 1\n`;
const site = '2 CPU:100 Memory:1024';

describe('a run', () => {
  const trace = file('trace.txt', line(0) + line(100) + line(200));
  const inject = file('inject.txt', line(100, 500) + line(50, 400));

  it('numbers the trace first, then the injection, and merges them by arrival', () => {
    const { workload, config } = loadRun({ trace, inject, site });
    expect(workload.leases.map(({ id, arrival }) => [id, arrival / 1000])).toEqual([
      [1, 0],
      [5, 50],
      [2, 100],
      [4, 100],
      [3, 200],
    ]);
    expect(config.site).toBe(workload.site);
  });

  it('may be out of order only with an injection', () => {
    const unsorted = file('unsorted.txt', line(100) + line(0));
    expect(() => loadRun({ trace: unsorted, site })).toThrow('unsorted.txt:2: the request arrives at 0 s');
    const { workload } = loadRun({ trace: unsorted, inject, site });
    expect(workload.leases.map(({ id }) => id)).toEqual([2, 4, 1, 3]);
  });

  it('gives images to the merged leases', () => {
    const images = file('images.txt', 'a 1\nb 2\n#\na\nb\n');
    const { workload, warnings } = loadRun({ trace, inject, site, images });
    expect(workload.leases.map(({ image }) => image?.name)).toEqual(['a', 'b', 'x', 'x', 'x']);
    expect(warnings).toEqual([expect.stringMatching(/images\.txt: 2 images are listed for 5 leases$/)]);
  });

  it('takes its site from the command line, the configuration or the trace, in this order', () => {
    const lwf = (nodes: number) =>
      `<lease-workload><site><resource-types names="CPU Memory GPU"/><nodes><node-set numnodes="${nodes}"><res type="CPU" amount="1"/></node-set></nodes></site>
<lease-requests><lease-request arrival="0:00"><lease preemptible="true"><nodes><node-set numnodes="1"><res type="GPU" amount="1"/></node-set></nodes><start/><duration time="1:00"/><software><none/></software></lease></lease-request></lease-requests></lease-workload>`;
    const withSite = file('site.lwf', lwf(3));
    const config = (resources: string) =>
      file(
        'site.conf',
        `[general]\nmode: simulated\n[simulation]\nresources: ${resources}\n[scheduling]\nsuspension: none\n`,
      );
    const nodes = (resources: string, option: string | null) =>
      loadRun({ trace: withSite, config: config(resources), site: option }).config.site.nodes.length;
    file('other.lwf', lwf(7));
    expect(nodes('in-tracefile', null)).toBe(3);
    expect(nodes('5 CPU:1 Memory:1 GPU:1', null)).toBe(5);
    expect(nodes('file:other.lwf', null)).toBe(7);
    expect(nodes('file:other.lwf', '9 CPU:1 Memory:1 GPU:1')).toBe(9);
    expect(() => nodes('5 CPU:1 Memory:1', null)).toThrow(
      `site.lwf:2: resource type "GPU" was found, expected one of the site's (CPU, Memory)`,
    );
    expect(() => loadRun({ trace })).toThrow('the trace describes no site, expected a <site> in it');
  });

  it('knows the types that every site has', () => {
    const disk = file('disk.txt', '0 -1 60 60 1 1 512 9 x 1\n');
    expect(loadWorkload({ trace: disk }, siteOption(site)).workload.leases[0]?.machines).toEqual([
      { CPU: 100, Memory: 512, Disk: 9 },
    ]);
  });

  it('reads the trace, injection and images named in the configuration', () => {
    const config = file(
      'named.conf',
      `[general]\nmode: simulated\n[simulation]\nresources: ${site}\n[scheduling]\nsuspension: none\n[tracefile]\ntracefile: trace.txt\ninjectionfile: inject.txt\n`,
    );
    expect(loadRun({ config }).workload.leases).toHaveLength(5);
    expect(() => loadRun({})).toThrow('names no trace, expected one on the command line');
  });

  it('names a file that does not exist', () => {
    expect(() => loadRun({ trace: join(folder, 'none') })).toThrow(/none: there is no such file$/);
    expect(() => loadRun({ trace, site, cancel: folder })).toThrow('is a directory, expected a file');
    expect(() => siteOption('x')).toThrow('--site: "x" is not a number of nodes');
  });
});

describe('overheads', () => {
  const lease: TraceLease = {
    id: 1,
    type: 'BEST_EFFORT',
    arrival: 0,
    machines: [{ CPU: 100, Memory: 512 }],
    duration: 3_600_000,
    knownDuration: 1_801_000,
    start: null,
    deadline: null,
    preemptible: true,
    image: null,
    user: null,
  };
  const both = (changed: TraceLease) => [
    changed.duration / 1000,
    changed.knownDuration === null ? null : changed.knownDuration / 1000,
  ];

  it('slow down both durations, in whole seconds, and then add the boot', () => {
    expect(both(applyOverheads(lease, { applyTo: 'all', runtimeSlowdown: 12.5, bootShutdown: 15_000 }))).toEqual([
      4065, 2042,
    ]);
    expect(both(applyOverheads(lease, { applyTo: 'all', runtimeSlowdown: 0, bootShutdown: 15_000 }))).toEqual([
      3615, 1816,
    ]);
    const whole = { ...lease, knownDuration: null };
    expect(both(applyOverheads(whole, { applyTo: 'besteffort', runtimeSlowdown: 5, bootShutdown: 0 }))).toEqual([
      3780,
      null,
    ]);
  });

  it('apply only to the configured leases', () => {
    const overheads = { applyTo: 'besteffort', runtimeSlowdown: 5, bootShutdown: 9000 } as const;
    const reservation: TraceLease = { ...lease, type: 'ADVANCE_RESERVATION', start: 0 };
    expect(applyOverheads(reservation, overheads)).toBe(reservation);
    expect(applyOverheads(lease, noOverheads)).toBe(lease);
  });

  it('may replace the memory', () => {
    expect(overrideMemory([lease], null)).toEqual([lease]);
    expect(overrideMemory([lease], 64)[0]?.machines).toEqual([{ CPU: 100, Memory: 64 }]);
    expect(lease.machines[0]?.Memory).toBe(512);
  });
});

const corner = join(import.meta.dirname, '../../../shared/traces/haizea/corner');
describe.skipIf(!existsSync(corner))('the corner cases of ../shared/traces', () => {
  const refused: Readonly<Record<string, RegExp>> = {
    '1GBfiles.images': /:1: "image_1 1024" was found, expected LWF/,
    'generated.images': /:1: "image_1 1024" was found, expected LWF/,
    'test_unlimited.csv': /:4: "INF" was found as duration \(field 10\)/,
  };

  it('are read, or refused with the reason', () => {
    for (const name of readdirSync(corner)) {
      const read = () => readTrace(fileSource(join(corner, name)));
      if (refused[name] === undefined) expect(read().workload.leases.length, name).toBeGreaterThan(0);
      else {
        expect(read, name).toThrow(TraceError);
        expect(read, name).toThrow(refused[name]);
      }
    }
  });

  it.each([
    ['15days', 3084],
    ['30days', 5108],
    ['60days', 9453],
  ])('%s.swf has %i jobs that ran', (name, leases) => {
    const trace = readTrace(fileSource(join(corner, `../../blue/${name}.swf`)));
    expect(trace.workload.leases).toHaveLength(leases);
  });
});
