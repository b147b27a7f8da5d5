import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CommandError } from '../../src/engine/ports.ts';
import { lease, minute, now } from '../api/fixture.ts';
import { build, run } from '../support/server-process.ts';
import { servedApi } from './served-api.ts';
import { cli } from './terminal.ts';

const api = await servedApi();
const { server } = api;
afterAll(() => api[Symbol.asyncDispose]());

describe('request --wait', () => {
  it('tells what becomes of the lease where events before its own are no longer kept', async () => {
    const event = (sequence: number, from: 'NEW' | 'READY' | 'ACTIVE', to: 'PENDING' | 'ACTIVE' | 'DONE') =>
      ({ sequence, at: now, leaseId: 7, from, to, reason: null }) as const;
    await api.prisma.lease.create({ data: lease(7, { state: 'DONE' }) });
    await api.prisma.leaseEvent.create({
      data: { sequence: 41, at: new Date(now), leaseNumber: 7, from: 'NEW', to: 'PENDING' },
    });
    api.leases.answer = async () => 7;
    api.leases.publish(event(41, 'NEW', 'PENDING'), event(42, 'READY', 'ACTIVE'), event(43, 'ACTIVE', 'DONE'));
    const events = api.leases.events.bind(api.leases);
    api.leases.events = (options) => {
      if ((options.after ?? 40) < 40) throw new CommandError('EVENTS_EXPIRED', 'the oldest that is kept is 41');
      return events(options);
    };
    const { status, out, err } = await cli(
      ...['request', '--machines', '1 CPU:100', '--duration', '1h', '--wait'],
      ...server,
    );
    expect([status, err.match(/-> \w+/g)]).toEqual([0, ['-> PENDING', '-> ACTIVE', '-> DONE']]);
    expect(out).toContain('DONE');
  });
});

it('names options in what is refused, and paths for the leases of a file', async () => {
  const machines = ['--machines', '1 GPU:1', '--duration', '1h'];
  expect((await cli('request', ...machines, ...server)).err).toBe(
    'leasegraph: --machines: The site has no resource "GPU". Its resources are CPU, Memory. [INVALID_REQUEST]\n',
  );
  const late = ['--type', 'deadline', '--deadline', '-1h'];
  expect((await cli('request', ...machines, ...late, ...server)).err).toMatch(
    /^leasegraph: --machines: [^;]*; --deadline: /,
  );
  expect((await cli('request', '--duration', 'x', ...server)).err).toBe(
    "leasegraph: option '--duration <duration>' argument 'x' is invalid. Expected a duration: seconds, 1h30m, 2d, 1w, or ISO 8601 such as PT1H30M. (see --help)\n",
  );
});

it('does not ask for a start that no calendar has', async () => {
  api.leases.requests.length = 0;
  for (const after of ['99999999d', '9000000d']) {
    const { status, err } = await cli(
      ...['request', '--type', 'advance-reservation', '--start', `+${after}`],
      ...['--machines', '1 CPU:100', '--duration', '1h', ...server],
    );
    expect([status, err]).toEqual([2, 'leasegraph: --start: is not between the years 1970 and 9999\n']);
  }
  expect(api.leases.requests).toEqual([]);
});

describe('request --file -', () => {
  beforeAll(build);

  const machines = [{ count: 1, capacity: [{ type: 'CPU', amount: 100 }] }];
  const input = { type: 'BEST_EFFORT', duration: 'PT1H', machines };

  /** Requests what standard input says. Returns also the requests that the server was sent. */
  async function requested(text: string, ...options: readonly string[]) {
    await api.prisma.lease.deleteMany();
    api.leases.requests.length = 0;
    api.leases.answer = async ({ name, type }) => {
      const number = api.leases.requests.length;
      await api.prisma.lease.create({
        data: lease(number, { name: name ?? null, type, state: 'SCHEDULED' }),
      });
      return number;
    };
    const ended = await run(['request', '--file', '-', ...options, ...server], {}, undefined, text);
    return { ...ended, requests: api.leases.requests };
  }

  const names = (stdout: string) =>
    stdout.split('\n').flatMap((line) => (line === '' ? [] : (JSON.parse(line) as { name: string }).name));

  it('requests a lease in JSON, with the key of an option', async () => {
    const { code, stderr, stdout, requests } = await requested(
      JSON.stringify({ ...input, name: 'piped' }),
      ...['--key', 'once', '--jsonl'],
    );
    expect([code, stderr, names(stdout)]).toEqual([0, '', ['piped']]);
    expect(requests).toMatchObject([
      {
        key: 'once',
        request: { name: 'piped', type: 'BEST_EFFORT', duration: 3_600_000, machines: [{ CPU: 100 }] },
      },
    ]);
  });

  it('requests a list of leases in JSON, one after the other', async () => {
    const { code, stderr, stdout, requests } = await requested(
      JSON.stringify([
        { ...input, name: 'first' },
        { ...input, name: 'second' },
      ]),
      '--jsonl',
    );
    expect([code, stderr, names(stdout)]).toEqual([0, '', ['first', 'second']]);
    expect(requests.map(({ request }) => request.name)).toEqual(['first', 'second']);
  });

  it('requests the leases of a workload in LWF, whose times count from now', async () => {
    const { code, stderr, requests } = await requested(
      readFileSync(new URL('../../docs/examples/first.lwf', import.meta.url), 'utf8'),
    );
    expect([code, stderr]).toEqual([0, '']);
    expect(requests.map(({ request: { type, start, machines: all } }) => [type, start, all.length])).toEqual([
      ['BEST_EFFORT', null, 3],
      ['ADVANCE_RESERVATION', now + 30 * minute, 4],
      ['BEST_EFFORT', null, 2],
      ['BEST_EFFORT', null, 1],
    ]);
  });

  it.each([
    ['', 'leasegraph: standard input: is neither LWF nor JSON: '],
    ['[]', 'leasegraph: standard input: expected a lease, or a list of leases [INVALID_REQUEST]\n'],
    ['<lease-workload>', 'leasegraph: standard input:'],
  ])('says what is wrong with %j, and requests nothing', async (text, message) => {
    const { code, stdout, stderr, requests } = await requested(text);
    expect([code, stdout, requests]).toEqual([1, '', []]);
    expect(stderr).toContain(message);
  });
});
