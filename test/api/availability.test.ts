/** Long answers of the scheduler come in parts, between which it does its other work. */
import { afterAll, expect, it } from 'vitest';
import { createIdentity } from '../../src/identity/index.ts';
import { type Api, apiOn, apiOnNewDatabase } from './fixture.ts';

const shared = await apiOnNewDatabase();
afterAll(() => shared[Symbol.asyncDispose]());

const minute = 60_000;
const start = Date.UTC(2030, 0, 1);
const iso = (minutes: number): string => new Date(start + minutes * minute).toISOString();

function answering(...parts: readonly object[]): Api {
  const api = apiOn(shared.prisma);
  const left = [...parts];
  api.leases.result = async () => left.shift();
  return api;
}

const machines = '[{ count: 1, capacity: [{ type: "CPU", amount: 100 }] }]';
const plan = {
  ...{ accepted: false, reason: { code: 'NO_CAPACITY', message: 'Full.' }, start: null, end: null },
  ...{ machines: null, displaces: [], firstPossibleStart: null },
};

it('joins the parts of `availability`', async () => {
  const api = answering(
    { earliestStart: null, windows: [], continueFrom: start + 5 * minute },
    {
      earliestStart: start + 7 * minute,
      windows: [{ start: start + 7 * minute, end: start + 9 * minute }],
      continueFrom: start + 9 * minute,
    },
    {
      earliestStart: start + 9 * minute,
      windows: [
        { start: start + 9 * minute, end: start + 10 * minute },
        { start: start + 20 * minute, end: start + 30 * minute },
      ],
      continueFrom: null,
    },
  );
  const { data } = await api.ask(
    `{ availability(machines: ${machines}, duration: "PT1H", from: "${iso(0)}", to: "${iso(30)}") {
      earliestStart windows { start end } } }`,
  );
  expect(data.availability).toEqual({
    earliestStart: iso(7),
    windows: [
      { start: iso(7), end: iso(10) },
      { start: iso(20), end: iso(30) },
    ],
  });
  expect(api.leases.submitted.map(({ input }) => (input as { from: number }).from)).toEqual([
    start,
    start + 5 * minute,
    start + 9 * minute,
  ]);
});

it('searches on for the first possible start of a request that would be rejected', async () => {
  const api = answering(
    { ...plan, continueFrom: start + 5 * minute },
    { earliestStart: null, windows: [], continueFrom: start + 8 * minute },
    { earliestStart: start + 11 * minute, windows: [], continueFrom: null },
  );
  const { data } = await api.ask(
    `mutation { requestLease(input: { type: IMMEDIATE, duration: "PT1H", machines: ${machines}, dryRun: true }) {
      plan { accepted firstPossibleStart } userErrors { code } } }`,
  );
  expect(data.requestLease).toEqual({
    plan: { accepted: false, firstPossibleStart: iso(11) },
    userErrors: [],
  });
  expect(api.leases.submitted.map(({ kind }) => kind)).toEqual(['dryRun', 'availability', 'availability']);
});

it('is answered for the project for which the request would be made, or refused with the same code', async () => {
  const { prisma } = shared;
  await prisma.project.createMany({ data: ['one', 'two', 'three'].map((name) => ({ name })) });
  const { tokens } = createIdentity({ prisma, adminToken: 'x' });
  const api = answering();
  const parts = { earliestStart: start, windows: [], continueFrom: null };
  api.leases.result = async (kind) => (kind === 'availability' ? parts : { ...plan, continueFrom: null });
  const projects = [null, btoa('Project:1'), btoa('Project:3'), btoa('Project:9'), btoa('Lease:1'), 'x'];
  const answers = async (member: readonly number[] | 'admin') => {
    const name = `member-of-${member}`;
    const created =
      member === 'admin' ? null : await tokens.create({ name, role: 'USER', projects: member, expiresAt: null });
    const found: string[] = [];
    for (const project of projects) {
      const argument = project === null ? '' : `, project: "${project}"`;
      const given = `machines: ${machines}, duration: "PT1H"${argument}`;
      const asked = async (query: string) => (await api.count(query, created?.secret)).answer;
      const { errors } = await asked(`{ availability(${given}) { earliestStart } }`);
      const code = errors?.[0]?.extensions?.code ?? 'answered';
      const request = `requestLease(input: { type: IMMEDIATE, dryRun: true, ${given} }) { userErrors { code message } }`;
      const [refusal] = (await asked(`mutation { ${request} }`)).data.requestLease.userErrors;
      expect(refusal?.code ?? 'answered').toBe(code);
      expect(errors?.[0]?.message).toBe(refusal?.message);
      const input = api.leases.submitted.findLast(({ kind }) => kind === 'availability')?.input;
      found.push(errors ? String(code) : `project ${(input as { project: number | null }).project}`);
    }
    return found;
  };
  const invalid = ['INVALID_ID', 'INVALID_ID'];
  const unknown = 'PROJECT_NOT_FOUND';
  expect(await answers([])).toEqual(['project null', unknown, unknown, unknown, ...invalid]);
  expect(await answers([1])).toEqual(['project 1', 'project 1', unknown, unknown, ...invalid]);
  expect(await answers([1, 2])).toEqual(['PROJECT_REQUIRED', 'project 1', unknown, unknown, ...invalid]);
  expect(await answers('admin')).toEqual(['project null', 'project 1', 'project 3', unknown, ...invalid]);
});
