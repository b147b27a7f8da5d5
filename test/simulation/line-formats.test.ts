import { describe, expect, it } from 'vitest';
import { siteOption } from '../../src/config/index.ts';
import { TraceError } from '../../src/simulation/errors.ts';
import { readCancellations } from '../../src/simulation/formats/cancellations.ts';
import { readImages, withImages } from '../../src/simulation/formats/images.ts';
import { textSource } from '../../src/simulation/formats/source.ts';
import { detectFormat, readTrace } from '../../src/simulation/formats/trace.ts';
import { formatDuration, parseDuration, parseInstant } from '../../src/simulation/formats/values.ts';

const read = (text: string, options = {}) => readTrace(textSource('t', text), options);
const machine = { CPU: 100, Memory: 1024 };

describe('SWF', () => {
  const job = (fields: Record<number, number>) => Array.from({ length: 18 }, (_, i) => fields[i + 1] ?? -1).join(' ');

  it('converts a job to a best-effort lease', () => {
    const text = `; Version: 2\n\n  ${job({ 1: 7, 2: 30, 3: 5, 4: 100, 5: 4, 8: 3, 9: 600, 12: 42 })}\n`;
    expect(read(text).workload.leases).toEqual([
      {
        id: 1,
        type: 'BEST_EFFORT',
        arrival: 30_000,
        machines: [machine, machine, machine],
        duration: 600_000,
        knownDuration: 100_000,
        start: null,
        preemptible: true,
        image: null,
        deadline: null,
        user: '42',
      },
    ]);
  });

  it('falls back to the allocated processors and the running time', () => {
    const text = job({ 2: 0, 4: 50, 5: 2, 8: 0, 9: 0 });
    expect(read(`;\n${text}`).workload.leases).toMatchObject([
      { duration: 50_000, knownDuration: 50_000, machines: [machine, machine] },
    ]);
  });

  it('limits the running time to between one second and the requested time', () => {
    const known = (run: number) => read(`;\n${job({ 2: 0, 4: run, 8: 1, 9: 60 })}`).workload.leases[0]?.knownDuration;
    expect([known(0), known(59), known(60), known(100)]).toEqual([1000, 59_000, 60_000, 60_000]);
  });

  it('skips jobs that never ran or have no length or size', () => {
    const jobs = [
      job({ 2: 0, 4: -1, 8: 1, 9: 60 }),
      job({ 2: 1, 4: 0, 8: 1, 9: 0 }),
      job({ 2: 2, 4: 5, 5: 0, 8: 0, 9: 60 }),
      job({ 2: 3, 4: 5, 8: 1, 9: 60 }),
    ];
    const { workload, warnings } = read(jobs.join('\n'));
    expect(workload.leases).toMatchObject([{ id: 1, arrival: 3000 }]);
    expect(warnings).toEqual([
      't: 3 of 4 jobs were left out: 1 with a negative run time, 1 with neither a requested time nor a run time, 1 with neither requested nor allocated processors',
    ]);
  });

  it('scales processors and sets the memory', () => {
    const lease = read(`;\n${job({ 2: 0, 4: 5, 8: 9, 9: 60 })}`, { swf: { scale: 4, memory: 256 } }).workload.leases[0];
    expect(lease?.machines).toEqual(Array(3).fill({ CPU: 100, Memory: 256 }));
  });

  it('takes the site from the header', () => {
    const site = (header: string, options = {}) => {
      const nodes = read(`${header}\n${job({ 2: 0, 4: 5, 8: 1, 9: 60 })}`, options).workload.site?.nodes;
      return nodes === undefined ? null : [nodes.length, nodes[0]?.capacity];
    };
    expect(site('; MaxNodes: 128\n; MaxProcs: 512')).toEqual([512, machine]);
    expect(site('; MaxProcs: 510', { swf: { scale: 4, memory: 256 } })).toEqual([128, { CPU: 100, Memory: 256 }]);
    expect(site(';MaxNodes:  256 (two cabinets)')).toEqual([256, machine]);
    expect(site('; MaxNodes: -1\n; Note: MaxProcs: 4')).toBeNull();
    expect(site('; MaxProcs: 0')).toBeNull();
  });

  it('refuses invalid lines', () => {
    expect(failure(`; x\n1 2 3`)).toBe('t:2: 3 fields were found ("1 2 3"), expected the 18 of a job in SWF');
    expect(failure(`;\n${job({ 2: 0, 4: 5, 8: 1, 9: 60 }).replace('60', 'x')}`)).toBe(
      't:2: "x" was found as field 9, expected a number (of at most 10^12)',
    );
    for (const text of ['NaN', 'Infinity', '1e400', '0x10', '9'.repeat(30), '１']) {
      expect(failure(job({ 2: 0, 4: 5, 8: 1 }).replace('5', text))).toContain(
        `t:1: "${text}" was found as field 4, expected a number`,
      );
    }
    expect(failure(job({ 2: 0, 4: 5, 8: 1, 9: 1e12 }))).toBe(
      't:1: the duration is 1000000000000 s, expected at most 366,000 days',
    );
    expect(failure(job({ 2: 1e12, 4: 5, 8: 1, 9: 60 }))).toBe(
      't:1: the arrival is 1000000000000 s, expected at most 366,000 days',
    );
    expect(failure(`;\n${[9, 8].map((at) => job({ 2: at, 4: 5, 8: 1, 9: 60 })).join('\n')}`)).toBe(
      't:3: the request arrives at 8 s, before the one above it (9 s): expected requests in order of arrival',
    );
    expect(failure(`;\n${job({ 2: -5, 4: 5, 8: 1, 9: 60 })}`)).toBe(
      't:2: submit time -5 was found, expected one that is not negative',
    );
    expect(failure('; only comments\n;\n')).toBe('t:2: the trace has no leases, expected at least one job that ran');
    expect(failure(`1 ${'9'.repeat(10_000_000)}`)).toMatch(/^t:1: the line has more than 1048576 characters/);
  });
});

describe('text LWF', () => {
  it('reads best effort and advance reservations', () => {
    const text = "# comment\n0 -1 3600 1800 2 1 1024 0 'foobar.img' 600\n60 2700 900 900 4 2 512 10 NONE.img 1024\n";
    expect(read(text).workload.leases).toEqual([
      {
        id: 1,
        type: 'BEST_EFFORT',
        arrival: 0,
        machines: [machine, machine],
        duration: 3_600_000,
        knownDuration: 1_800_000,
        start: null,
        preemptible: true,
        image: { name: 'foobar.img', sizeMb: 600 },
        deadline: null,
        user: null,
      },
      {
        id: 2,
        type: 'ADVANCE_RESERVATION',
        arrival: 60_000,
        machines: Array(4).fill({ CPU: 200, Memory: 512, Disk: 10 }),
        duration: 900_000,
        knownDuration: null,
        start: 2_700_000,
        preemptible: false,
        image: { name: 'NONE.img', sizeMb: 1024 },
        deadline: null,
        user: null,
      },
    ]);
  });

  it('refuses invalid lines', () => {
    expect(failure('0 -1 10 10 1 1 1024 0 x 600\n1 -1 10 10 1 1 1024 0 x')).toMatch(/^t:2: 9 fields were found/);
    expect(failure('0 -1 -10 10 1 1 1024 0 x 600')).toBe(
      't:1: "-10" was found as duration (field 3), expected seconds that are not negative',
    );
    expect(failure('0 -1 10 10 0 1 1024 0 x 600')).toMatch(/^t:1: "0" was found as nodes \(field 5\)/);
    expect(failure('5 -1 10 10 1 1 1024 0 x 600\n1 -1 10 10 1 1 1024 0 x 1')).toMatch(/^t:2: .* order of arrival$/);
  });
});

describe('CSV', () => {
  it('reads the long and the short form', () => {
    const text =
      '#comment\n0;0;nfs:///images/600M_0.img;600;2;1024;50;RW;NULL;3600;900;BATCH\n60;NONE;600;1;512;50;RW;2700;7200;AR\n';
    expect(read(text).workload.leases).toEqual([
      {
        id: 1,
        type: 'BEST_EFFORT',
        arrival: 0,
        machines: [machine, machine],
        duration: 3_600_000,
        knownDuration: 900_000,
        start: null,
        preemptible: true,
        image: { name: '600M_0.img', sizeMb: 600 },
        deadline: null,
        user: null,
      },
      {
        id: 2,
        type: 'ADVANCE_RESERVATION',
        arrival: 60_000,
        machines: [{ CPU: 100, Memory: 512 }],
        duration: 7_200_000,
        knownDuration: null,
        start: 2_760_000,
        preemptible: false,
        image: null,
        deadline: null,
        user: null,
      },
    ]);
  });

  it('refuses invalid lines', () => {
    expect(failure('0;0;x')).toBe('t:1: 3 fields were found ("0;0;x"), expected 12 or 10 with ";" between them');
    expect(failure('0;0;NONE;600;4;1024;100;RW;NULL;INF;900;BATCH')).toMatch(/^t:1: "INF" was found as duration/);
  });
});

describe('a format', () => {
  it('is detected from the content', () => {
    expect(detectFormat(textSource('t', '\uFEFF \n<?xml version="1.0"?>'))).toBe('lwf');
    expect(detectFormat(textSource('t', '; SWF'))).toBe('swf');
    expect(detectFormat(textSource('t', '# x\n1 2 3 4 5 6 7 8 9 0'))).toBe('lwf-text');
    expect(detectFormat(textSource('t', '# x\n1;2'))).toBe('csv');
  });

  it('is refused if it is unknown', () => {
    expect(failure('')).toMatch(/^t:1: the file is empty/);
    expect(failure('# a\n# b\n')).toMatch(/^t:2: there are only comments/);
    expect(failure('\n\u0000\u0001 x')).toMatch(/^t:2: "\uFFFD\uFFFD x" was found, expected LWF/);
  });
});

describe('images', () => {
  it('are assigned in order', () => {
    const images = readImages(textSource('i', 'a 100\nb 200\n#\nb\n\na\n'));
    const a = { name: 'a', sizeMb: 100 };
    const b = { name: 'b', sizeMb: 200 };
    expect(images).toEqual([b, a]);
    const leases = read('0 -1 9 9 1 1 1 0 x 1\n0 -1 9 9 1 1 1 0 x 1\n0 -1 9 9 1 1 1 0 x 1').workload.leases;
    expect(withImages(leases, images).map(({ image }) => image)).toEqual([b, a, { name: 'x', sizeMb: 1 }]);
  });

  it('must be known', () => {
    const read_ = (text: string) => () => readImages(textSource('i', text));
    expect(read_('a 100\n#\nc\n')).toThrow('i:3: "c" was found, expected an image that is listed above the "#"');
    expect(read_('a\n')).toThrow('i:1: "a" was found, expected a line "IMAGE MB"');
    expect(read_('a -5\n')).toThrow('i:1: "-5" was found as size');
  });
});

describe('cancellations', () => {
  it('are sorted by time, and in file order at the same time', () => {
    const text = '90 3\n60 2 # first\n\n90 1\n';
    expect(readCancellations(textSource('c', text))).toEqual([
      { at: 60_000, leaseId: 2 },
      { at: 90_000, leaseId: 3 },
      { at: 90_000, leaseId: 1 },
    ]);
  });

  it('must be two numbers', () => {
    expect(() => readCancellations(textSource('c', '60\n'))).toThrow(
      'c:1: "60" was found, expected a line "TIME LEASE"',
    );
    expect(() => readCancellations(textSource('c', '60 x\n'))).toThrow('c:1: "x" was found as lease');
    expect(() => readCancellations(textSource('c', '-60 1\n'))).toThrow('c:1: "-60" was found as time');
  });
});

describe('a site as one line', () => {
  it('accepts spaces and commas', () => {
    const site = siteOption('2 CPU:100 Memory:1024');
    expect(site).toEqual({
      resourceTypes: ['CPU', 'Memory'],
      nodes: [1, 2].map((number) => ({ number, hostname: `node-${number}`, capacity: machine })),
    });
    expect(siteOption('2  CPU:100,Memory:1024')).toEqual(site);
  });

  it('accepts several instances of a resource', () => {
    expect(siteOption('1 CPU:100+50 Memory:1024').nodes[0]?.capacity).toEqual({
      CPU: [100, 50],
      Memory: 1024,
    });
  });

  it.each([
    ['', '"" is not a number of nodes'],
    ['x CPU:100 Memory:1', '"x" is not a number of nodes'],
    ['0 CPU:100 Memory:1', '--site: nodes[0].count: 0 was found, expected at least 1'],
    ['4 CPU:100', 'Memory is missing'],
    ['4 CPU:100 Memory', '"Memory" is not TYPE:AMOUNT'],
    ['4 CPU:100+ Memory:1', '"CPU:100+" is not TYPE:AMOUNT'],
    ['4 CPU:-1 Memory:1', '"CPU:-1" is not TYPE:AMOUNT'],
    ['4 CPU:1 CPU:1 Memory:1', 'CPU is given twice'],
    ['4 CPU:1 Memory:1 __proto__:1 __proto__:2', '__proto__ is given twice'],
  ])('refuses "%s"', (text, message) => {
    expect(() => siteOption(text)).toThrow(message);
  });
});

describe('values', () => {
  it('reads and prints durations', () => {
    expect(['10:00', '01:02:03', '01:02:03:04', '0:0:0.5', '+00:01'].map(parseDuration)).toEqual([
      36_000_000, 3_723_000, 93_784_000, 500, 60_000,
    ]);
    expect(['', '5', '-1:00', '1:2:3:4:5', '1:00x', '1e9:00:00'].map(parseDuration)).toEqual(Array(6).fill(null));
    expect([0, 1250, 93_784_001].map(formatDuration)).toEqual(['00:00:00.00', '00:00:01.25', '26:03:04.001']);
  });

  it('reads instants as UTC', () => {
    const at = Date.UTC(2006, 10, 25, 13);
    expect(
      ['2006-11-25 13:00:00', '2006-11-25T13:00:00Z', '2006-11-25 14:00+01:00', '2006-11-25 13:00:00.00'].map(
        parseInstant,
      ),
    ).toEqual([at, at, at, at]);
    expect(['2006-02-30', '2006-13-01', 'now', '2006-11-25 25:00:00'].map(parseInstant)).toEqual(Array(4).fill(null));
  });
});

function failure(text: string): string {
  try {
    read(text);
  } catch (error) {
    if (error instanceof TraceError) return error.message;
    throw error;
  }
  throw new Error('it was accepted');
}
