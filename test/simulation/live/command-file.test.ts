import { describe, expect, it } from 'vitest';
import { checkCommands } from '../../../src/simulation/commands.ts';
import { TraceError } from '../../../src/simulation/errors.ts';
import { readCommands } from '../../../src/simulation/formats/commands.ts';
import { readLwf } from '../../../src/simulation/formats/lwf.ts';
import { textSource } from '../../../src/simulation/formats/source.ts';
import { workloadOf } from '../small-run.ts';

const read = (...lines: readonly string[]) => readCommands(textSource('c.jsonl', lines.join('\n')));

function refusal(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    if (error instanceof TraceError) return `${error.code} ${error.line}: ${error.detail}`;
    throw error;
  }
  return 'accepted';
}

describe('a file of commands', () => {
  it('accepts no time after 366,000 days', () => {
    const latest = 366_000 * 86_400;
    expect(read(`{"at": ${latest}, "cancel": 7}`)).toMatchObject([{ at: latest * 1000 }]);
    expect(refusal(() => read(`{"at": ${latest + 1}, "cancel": 7}`))).toBe(
      `INVALID_VALUE 1: at is ${latest + 1}, expected whole seconds from the start of the run (at most 366,000 days)`,
    );
  });

  it('has one command per line; blank lines count as lines', () => {
    const commands = read(
      '{"at": 1, "cancel": 7}',
      '',
      '{"at": 1, "update": 8, "start": 7200, "duration": 3600, "asFarAsPossible": true}',
      '{"at": 2, "update": 9, "deadline": 9000}',
      '{"at": 2, "node": 3, "set": "DRAINING"}',
      '{"at": 2, "maintenance": "m1", "nodes": [1, 2], "start": 3600, "end": 7200}',
      '{"at": 3, "endMaintenance": "m1"}',
    );
    expect(commands).toEqual([
      { kind: 'cancel', at: 1000, line: 1, lease: 7 },
      {
        kind: 'update',
        at: 1000,
        line: 3,
        lease: 8,
        terms: { start: 7_200_000, duration: 3_600_000 },
        asFarAsPossible: true,
      },
      { kind: 'update', at: 2000, line: 4, lease: 9, terms: { deadline: 9_000_000 }, asFarAsPossible: false },
      { kind: 'node', at: 2000, line: 5, node: 3, set: 'DRAINING', collisions: 'DISPLACE' },
      {
        kind: 'maintenance',
        at: 2000,
        line: 6,
        name: 'm1',
        nodes: [1, 2],
        start: 3_600_000,
        end: 7_200_000,
        collisions: 'REFUSE',
      },
      { kind: 'endMaintenance', at: 3000, line: 7, name: 'm1' },
    ]);
  });

  it.each([
    ['{"at": 1', 'NOT_WELL_FORMED'],
    ['[1]', 'UNEXPECTED_CONTENT'],
    ['{"at": 1}', 'MISSING_CONTENT'],
    ['{"cancel": 1}', 'MISSING_CONTENT'],
    ['{"at": 1.5, "cancel": 1}', 'INVALID_VALUE'],
    ['{"at": -1, "cancel": 1}', 'INVALID_VALUE'],
    ['{"at": "1", "cancel": 1}', 'INVALID_VALUE'],
    ['{"at": 1, "cancel": 1, "update": 2}', 'UNEXPECTED_CONTENT'],
    ['{"at": 1, "cancel": 1, "why": "so"}', 'UNEXPECTED_CONTENT'],
    ['{"at": 1, "cancel": "1"}', 'INVALID_VALUE'],
    ['{"at": 1, "update": 1}', 'MISSING_CONTENT'],
    ['{"at": 1, "update": 1, "duration": 0}', 'INVALID_VALUE'],
    ['{"at": 1, "update": 1, "duration": 5, "asFarAsPossible": 1}', 'INVALID_VALUE'],
    ['{"at": 1, "node": 1}', 'MISSING_CONTENT'],
    ['{"at": 1, "node": 1, "set": "OFF"}', 'INVALID_VALUE'],
    ['{"at": 1, "node": 1, "set": "DOWN", "collisions": "REFUSE"}', 'INVALID_VALUE'],
    ['{"at": 1, "maintenance": "m", "nodes": [], "start": 5, "end": 6}', 'INVALID_VALUE'],
    ['{"at": 1, "maintenance": "m", "nodes": [1], "start": 5}', 'MISSING_CONTENT'],
    ['{"at": 1, "endMaintenance": 5}', 'INVALID_VALUE'],
  ])('refuses %s with its line', (line, code) => {
    expect(refusal(() => read('{"at": 0, "cancel": 1}', line))).toMatch(
      new RegExp(`^${code} 2: .*expected|^${code} 2: set DOWN`),
    );
  });

  it('refuses a command that is earlier than the one above it', () => {
    expect(refusal(() => read('{"at": 5, "cancel": 1}', '{"at": 4, "cancel": 2}'))).toBe(
      'OUT_OF_ORDER 2: the command is for 4 s, the one before it for 5 s, expected them in order of time',
    );
  });

  it('refuses fields that a type of lease does not have, and leaves unknown leases to the run', () => {
    const { leases } = workloadOf(
      [
        { type: 'BEST_EFFORT', arrival: 0, duration: 100 },
        { type: 'IMMEDIATE', arrival: 0, duration: 100 },
        { type: 'ADVANCE_RESERVATION', arrival: 0, duration: 100, start: 500 },
        { type: 'DEADLINE', arrival: 0, duration: 100, deadline: 500 },
      ],
      '2 CPU:100 Memory:1024',
    );
    const check = (lease: number, terms: string) =>
      refusal(() => checkCommands('c.jsonl', read(`{"at": 1, "update": ${lease}, ${terms}}`), leases)).slice(0, 15);
    expect([1, 2, 3, 4, 5].map((lease) => check(lease, '"start": 600'))).toEqual([
      'INVALID_VALUE 1',
      'INVALID_VALUE 1',
      'accepted',
      'accepted',
      'accepted',
    ]);
    expect([1, 2, 3, 4, 5].map((lease) => check(lease, '"deadline": 600'))).toEqual([
      'INVALID_VALUE 1',
      'INVALID_VALUE 1',
      'INVALID_VALUE 1',
      'accepted',
      'accepted',
    ]);
  });
});

it('a lease that starts now has no deadline', () => {
  const lwf = `<lease-workload><lease-requests><lease-request arrival="00:00"><lease preemptible="true">
<nodes><node-set numnodes="1"><res type="CPU" amount="1"/></node-set></nodes><start><now/></start>
<duration time="01:00"/><deadline time="05:00"/><software><none/></software></lease></lease-request></lease-requests></lease-workload>`;
  expect(refusal(() => readLwf(textSource('t.lwf', lwf)))).toBe(
    'UNEXPECTED_CONTENT 1: <lease> has a <deadline> and starts <now>, expected <start/> or <exact> with a deadline',
  );
});
