import { describe, expect, it } from 'vitest';
import { TraceError } from '../../src/simulation/errors.ts';
import { readLwf, readSite } from '../../src/simulation/formats/lwf.ts';
import { textSource } from '../../src/simulation/formats/source.ts';

const read = (text: string) => readLwf(textSource('t.lwf', text));

const workload = (requests: string, site = '') =>
  `<?xml version="1.0"?>\n<lease-workload name="w">${site}\n<lease-requests>\n${requests}\n</lease-requests>\n</lease-workload>\n`;

const request = (
  parts: {
    arrival?: string;
    attributes?: string;
    nodes?: string;
    start?: string;
    duration?: string;
    software?: string;
    more?: string;
  } = {},
) => `<lease-request arrival="${parts.arrival ?? '00:00:00.00'}">${parts.more ?? ''}
<lease ${parts.attributes ?? 'preemptible="true"'}>
<nodes>${parts.nodes ?? '<node-set numnodes="1"><res type="CPU" amount="100"/><res type="Memory" amount="512"/></node-set>'}</nodes>
${parts.start ?? '<start/>'}
<duration time="${parts.duration ?? '01:00:00.00'}"/>
<software>${parts.software ?? '<none/>'}</software>
</lease></lease-request>`;

const SITE = `<site><resource-types names="CPU Memory GPU"/><nodes>
<node-set numnodes="2"><res type="CPU" amount="100"/><res type="Memory" amount="1024"/></node-set>
<node-set numnodes="1"><res type="CPU"><instance amount="100"/><instance amount="50"/></res><res type="Memory" amount="2048"/><res type="GPU" amount="1"/></node-set>
</nodes></site>`;

describe('LWF XML', () => {
  it('contains every type of lease, with its elements in any order', () => {
    const { workload: read_ } = read(
      workload(
        [
          request({ attributes: 'id="77" preemptible="True" user="ann"', duration: '10:00' }),
          request({
            arrival: '00:01:30',
            attributes: 'preemptible="FALSE"',
            start: '<start><exact time="01:02:03:04.50"/></start>',
            software: '<disk-image id="a &amp; b.img" size="600"/>',
            more: '<realduration time="00:00:07.00"/>',
          }),
          request({ arrival: '00:01:30', start: '<start><now/></start>' }),
        ].join('\n'),
        SITE,
      ),
    );
    const machine = { CPU: 100, Memory: 512 };
    expect(read_.leases).toEqual([
      {
        id: 1,
        type: 'BEST_EFFORT',
        arrival: 0,
        machines: [machine],
        duration: 36_000_000,
        knownDuration: null,
        start: null,
        preemptible: true,
        image: null,
        deadline: null,
        user: 'ann',
      },
      {
        id: 2,
        type: 'ADVANCE_RESERVATION',
        arrival: 90_000,
        machines: [machine],
        duration: 3_600_000,
        knownDuration: 7000,
        start: 93_784_500,
        preemptible: false,
        image: { name: 'a & b.img', sizeMb: 600 },
        deadline: null,
        user: null,
      },
      {
        id: 3,
        type: 'IMMEDIATE',
        arrival: 90_000,
        machines: [machine],
        duration: 3_600_000,
        knownDuration: null,
        start: null,
        preemptible: true,
        image: null,
        deadline: null,
        user: null,
      },
    ]);
    expect(read_.name).toBe('w');
    expect(read_.site).toEqual({
      resourceTypes: ['CPU', 'Memory', 'GPU'],
      nodes: [
        { number: 1, hostname: 'node-1', capacity: { CPU: 100, Memory: 1024 } },
        { number: 2, hostname: 'node-2', capacity: { CPU: 100, Memory: 1024 } },
        { number: 3, hostname: 'node-3', capacity: { CPU: [100, 50], Memory: 2048, GPU: 1 } },
      ],
    });
  });

  it('numbers machines across node sets', () => {
    const nodes =
      '<node-set numnodes="2"><res type="CPU" amount="50"/></node-set><node-set numnodes="1"><res type="CPU"><instance amount="100"/><instance amount="100"/></res></node-set>';
    const [lease] = read(workload(request({ nodes }))).workload.leases;
    expect(lease?.machines).toEqual([{ CPU: 50 }, { CPU: 50 }, { CPU: [100, 100] }]);
  });

  it('accepts the additions of Haizea 1.1', () => {
    const lease = request({
      attributes: 'preemptible="false" state="1" submit-time="2006-11-25 13:00:00"',
      start: '<start/><deadline time="05:00:00"/><extra><attr name="SWF_queue" value="1"/><anything/>words</extra>',
    });
    const attributes =
      '<attributes><attr name="size" value="small"/></attributes><description> Two\nlines </description>';
    const { workload: read_, warnings } = read(workload(lease, attributes));
    expect(read_.attributes).toEqual({ size: 'small' });
    expect(read_.description).toBe(' Two\nlines ');
    expect(warnings).toEqual([]);
    expect(read_.leases).toEqual([expect.objectContaining({ type: 'DEADLINE', start: null, deadline: 18_000_000 })]);
  });

  it('ignores the contents of <extra>', () => {
    const extra =
      '<extra><any><thing/></any><duration time="09:00:00"/><nodes><node-set numnodes="9"><res type="CPU" amount="1"/></node-set></nodes><lease-request arrival="x"/><constructor><a/></constructor></extra>';
    const { leases } = read(workload(request({ start: `<start/>${extra}` }))).workload;
    expect(leases).toEqual(read(workload(request())).workload.leases);
  });

  it('sorts requests by arrival, keeps their numbers, and reports it', () => {
    const { workload: read_, warnings } = read(
      workload(
        [request({ arrival: '00:10:00' }), request({ arrival: '00:05:00' }), request({ arrival: '00:05:00' })].join(
          '\n',
        ),
      ),
    );
    expect(read_.leases.map(({ id }) => id)).toEqual([2, 3, 1]);
    expect(warnings).toEqual([
      't.lwf:11: the request arrives at 300 s, before the one above it (600 s): expected requests in order of arrival (they have been sorted)',
    ]);
  });

  const cases: readonly [what: string, text: string, code: string, message: RegExp][] = [
    [
      'a truncated file',
      workload(request()).slice(0, 200),
      'NOT_WELL_FORMED',
      /^t\.lwf:6: the file ends within <node-set> of line 6, expected <\/node-set>$/,
    ],
    [
      'a wrong end tag',
      '<lease-workload><description>\n</lease-workload>',
      'NOT_WELL_FORMED',
      /^t\.lwf:2: not well-formed XML/,
    ],
    [
      'an entity bomb',
      '<?xml version="1.0"?>\n<!DOCTYPE a [<!ENTITY b "bb"><!ENTITY c "&b;&b;">]>\n<lease-workload/>',
      'DOCTYPE_NOT_ALLOWED',
      /^t\.lwf:2: a DOCTYPE was found/,
    ],
    [
      'an undefined entity',
      '<lease-workload>\n<description>&b;</description></lease-workload>',
      'NOT_WELL_FORMED',
      /^t\.lwf:2: .*undefined entity/,
    ],
    [
      'a line of 10 MB',
      `<lease-workload>\n<description>${'x'.repeat(10_000_000)}`,
      'LINE_TOO_LONG',
      /^t\.lwf:2: the line has more than/,
    ],
    [
      'another document',
      '<html/>',
      'UNEXPECTED_CONTENT',
      /^t\.lwf:1: <html> was found as the document's root, expected <lease-workload>$/,
    ],
    [
      'an unknown element',
      workload(request({ start: '<strat/>' })),
      'UNEXPECTED_CONTENT',
      /^t\.lwf:7: <strat> was found in <lease>, expected <nodes>, <start>/,
    ],
    [
      'an unknown attribute',
      workload(request({ attributes: 'preemptible="true" prio="1"' })),
      'UNEXPECTED_CONTENT',
      /^t\.lwf:5: <lease> has an attribute "prio"/,
    ],
    [
      'text where none belongs',
      workload(`${request()}\nhello`),
      'UNEXPECTED_CONTENT',
      /text "hello" was found in <lease-requests>/,
    ],
    [
      'a missing attribute',
      workload(request({ attributes: 'id="1"' })),
      'MISSING_CONTENT',
      /^t\.lwf:5: <lease> has no attribute "preemptible"/,
    ],
    ['a missing element', workload(request({ start: '' })), 'MISSING_CONTENT', /^t\.lwf:5: <lease> has no <start>/],
    [
      'an element twice',
      workload(request({ start: '<start/><start/>' })),
      'UNEXPECTED_CONTENT',
      /a second <start> was found in <lease>/,
    ],
    [
      'a negative duration',
      workload(request({ duration: '-01:00:00' })),
      'INVALID_VALUE',
      /^t\.lwf:8: time="-01:00:00" was found in <duration>, expected a duration \[DD:\]HH:MM/,
    ],
    [
      'no duration at all',
      workload(request({ duration: '00:00:00' })),
      'INVALID_VALUE',
      /^t\.lwf:4: the duration is 0/,
    ],
    ['a bare number as duration', workload(request({ duration: '60' })), 'INVALID_VALUE', /time="60"/],
    ['a negative arrival', workload(request({ arrival: '-00:01' })), 'INVALID_VALUE', /^t\.lwf:4: arrival="-00:01"/],
    [
      'preemptible="yes"',
      workload(request({ attributes: 'preemptible="yes"' })),
      'INVALID_VALUE',
      /^t\.lwf:5: preemptible="yes" .* expected true or false$/,
    ],
    [
      'no machines',
      workload(request({ nodes: '<node-set numnodes="0"><res type="CPU" amount="1"/></node-set>' })),
      'INVALID_VALUE',
      /numnodes="0"/,
    ],
    [
      'too many machines',
      workload(request({ nodes: '<node-set numnodes="4294967296"><res type="CPU" amount="1"/></node-set>' })),
      'INVALID_VALUE',
      /numnodes="4294967296"/,
    ],
    [
      'a negative amount',
      workload(request({ nodes: '<node-set numnodes="1"><res type="CPU" amount="-1"/></node-set>' })),
      'INVALID_VALUE',
      /amount="-1" was found in <res>/,
    ],
    [
      'part of an amount',
      workload(request({ nodes: '<node-set numnodes="1"><res type="CPU" amount="1.5"/></node-set>' })),
      'INVALID_VALUE',
      /expected a whole number/,
    ],
    [
      'amount and instances',
      workload(
        request({
          nodes: '<node-set numnodes="1"><res type="CPU" amount="1"><instance amount="1"/></res></node-set>',
        }),
      ),
      'UNEXPECTED_CONTENT',
      /both an amount and instances/,
    ],
    [
      'a type twice',
      workload(
        request({
          nodes: '<node-set numnodes="1"><res type="CPU" amount="1"/><res type="CPU" amount="1"/></node-set>',
        }),
      ),
      'UNEXPECTED_CONTENT',
      /a second <res type="CPU">/,
    ],
    [
      'two kinds of start',
      workload(request({ start: '<start><now/><exact time="1:00"/></start>' })),
      'UNEXPECTED_CONTENT',
      /<start> has both <now> and <exact>/,
    ],
    [
      'no leases',
      '<lease-workload><lease-requests/>\n</lease-workload>',
      'EMPTY_TRACE',
      /^t\.lwf:2: the trace has no leases/,
    ],
    [
      'machines that ask for nothing',
      workload(
        request({
          nodes:
            '<node-set numnodes="2"><res type="CPU" amount="1"/></node-set>\n<node-set numnodes="1"><res type="CPU" amount="0"/></node-set>',
        }),
      ),
      'INVALID_VALUE',
      /^t\.lwf:\d+: machine 3 asks for nothing, expected some of a resource$/,
    ],
    [
      'a disk image without a name',
      workload(request({ software: '<disk-image id="" size="5"/>' })),
      'INVALID_VALUE',
      /^t\.lwf:\d+: the disk image has no name, expected one$/,
    ],
    [
      'a site without Memory',
      workload(request(), '<site><resource-types names="CPU"/><nodes/></site>'),
      'MISSING_CONTENT',
      /^t\.lwf:2: .* expected Memory among them$/,
    ],
    [
      'a node of an undeclared type',
      workload(request(), SITE.replace(' GPU"', '"')),
      'UNKNOWN_RESOURCE_TYPE',
      /^t\.lwf:4: nodes have "GPU", expected one of the site's resource types \(CPU, Memory\)$/,
    ],
  ];
  it.each(cases)('refuses %s', (_, text, code, message) => {
    const error = failure(() => read(text));
    expect(error.code).toBe(code);
    expect(error.message).toMatch(message);
    expect(error.file).toBe('t.lwf');
  });

  it('reads a site without requests', () => {
    expect(readSite(textSource('s.xml', SITE)).nodes).toHaveLength(3);
    expect(failure(() => readSite(textSource('s.xml', workload(request())))).code).toBe('NO_SITE');
  });
});

function failure(action: () => unknown): TraceError {
  try {
    action();
  } catch (error) {
    if (error instanceof TraceError) return error;
    throw error;
  }
  throw new Error('it was accepted');
}
