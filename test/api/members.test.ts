/** Who belongs to a project, and how that changes. */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { createIdentity, type Role } from '../../src/identity/index.ts';
import { apiOnNewDatabase } from './fixture.ts';

const api = await apiOnNewDatabase();
afterAll(() => api[Symbol.asyncDispose]());
const { prisma } = api;
const { tokens } = createIdentity({ prisma, adminToken: 'x' });
const id = (type: string, number: number) => btoa(`${type}:${number}`);
const [physics, biology] = [1, 2];

beforeAll(() => prisma.project.createMany({ data: [{ name: 'physics' }, { name: 'biology' }] }));
beforeEach(() => prisma.token.deleteMany());

const create = (name: string, projects: readonly number[], role: Role = 'USER', expiresAt: Date | null = null) =>
  tokens.create({ name, role, projects, expiresAt });

const update = async (number: number, fields: string) =>
  (
    await api.ask(`mutation { updateToken(input: { id: "${id('Token', number)}", ${fields} }) {
      token { role expiresAt projects { name } } userErrors { code path message } } }`)
  ).data.updateToken;

it('members are the holders of valid tokens, in pages', async () => {
  await create('ada', [physics, biology]);
  await create('bob', [biology]);
  await create('carl', [physics], 'VIEWER');
  const { token } = await create('dora', [physics]);
  await tokens.revoke(token.number);
  await create('eve', [physics], 'USER', new Date(Date.now() - 1));
  await create('fred', [physics], 'ADMIN', new Date(Date.now() + 60_000));
  const { secret } = await create('gina', [biology]);
  const list = 'totalCount nodes { name role projects { name } } pageInfo { hasNextPage endCursor }';
  const query = (page: string) =>
    `{ node(id: "${id('Project', physics)}") { ... on Project { members(${page}) { ${list} } } } }`;
  const { members } = (await api.ask(query('first: 2'))).data.node;
  expect(members).toMatchObject({
    totalCount: 3,
    nodes: [
      { name: 'ada', role: 'USER', projects: [{ name: 'physics' }, { name: 'biology' }] },
      { name: 'carl', role: 'VIEWER', projects: [{ name: 'physics' }] },
    ],
    pageInfo: { hasNextPage: true },
  });
  const rest = await api.ask(query(`first: 2, after: "${members.pageInfo.endCursor}"`));
  expect(rest.data.node.members).toMatchObject({
    nodes: [{ name: 'fred', role: 'ADMIN' }],
    pageInfo: { hasNextPage: false },
  });
  // A member sees the members of its own projects, and of those the projects that it may see.
  const { answer } = await api.count(
    '{ projects { nodes { name members { nodes { name projects { name } } } } } }',
    secret,
  );
  expect(answer.data.projects.nodes).toEqual([
    {
      name: 'biology',
      members: { nodes: ['ada', 'bob', 'gina'].map((name) => ({ name, projects: [{ name: 'biology' }] })) },
    },
  ]);
  const foreign = await api.count(query('first: 2'), secret);
  expect(foreign.answer.data).toEqual({ node: null });
});

it('updateToken changes what is given, and the next request has the new rights', async () => {
  const { secret, token } = await create('ada', [physics]);
  const seen = async () => (await api.count('{ viewer { role projects { name } } }', secret)).answer.data?.viewer;
  expect(await seen()).toEqual({ role: 'USER', projects: [{ name: 'physics' }] });
  const lists = `addProjects: ["${id('Project', biology)}"], removeProjects: ["${id('Project', physics)}"]`;
  expect(await update(token.number, lists)).toMatchObject({
    token: { projects: [{ name: 'biology' }] },
    userErrors: [],
  });
  expect(await seen()).toEqual({ role: 'USER', projects: [{ name: 'biology' }] });
  expect(await update(token.number, 'role: VIEWER, projects: []')).toMatchObject({ userErrors: [] });
  expect(await seen()).toEqual({ role: 'VIEWER', projects: [] });
  const expiresAt = '2099-01-01T00:00:00.000Z';
  expect((await update(token.number, `expiresAt: "${expiresAt}"`)).token).toMatchObject({
    role: 'VIEWER',
    expiresAt,
  });
  expect((await update(token.number, 'expiresAt: null')).token).toMatchObject({
    role: 'VIEWER',
    expiresAt: null,
  });
});

it.each([
  ['nothing', '', 'INVALID_REQUEST', ['input']],
  ['an expiry that has passed', 'expiresAt: "2020-01-01T00:00:00Z"', 'INVALID_REQUEST', ['input', 'expiresAt']],
  [
    'an unknown project',
    `addProjects: ["${id('Project', 1)}", "${id('Project', 9)}"]`,
    'PROJECT_NOT_FOUND',
    ['input', 'addProjects', '1'],
  ],
  ['no project', `removeProjects: ["${id('Lease', 1)}"]`, 'INVALID_ID', ['input', 'removeProjects', '0']],
])('updateToken refuses %s', async (_what, fields, code, path) => {
  const { token } = await create('ada', [physics]);
  const before = await prisma.token.findUnique({ where: { number: token.number } });
  expect((await update(token.number, fields)).userErrors).toMatchObject([{ code, path }]);
  expect(await prisma.token.findUnique({ where: { number: token.number } })).toEqual(before);
});

it('updateToken refuses a token that was revoked, or that there is not', async () => {
  const { token } = await create('ada', []);
  await tokens.revoke(token.number);
  const refused = async (number: number) => (await update(number, 'role: ADMIN')).userErrors;
  expect(await refused(token.number)).toMatchObject([{ code: 'TOKEN_REVOKED', path: ['input', 'id'] }]);
  expect(await refused(999_999)).toMatchObject([{ code: 'TOKEN_NOT_FOUND', path: ['input', 'id'] }]);
});
