import { expect, test } from 'vitest';
import { CommandError, type HostFacts } from '../../src/engine/ports.ts';
import { servedApi } from '../cli/served-api.ts';
import { cli } from '../cli/terminal.ts';
import { absentHost } from '../support/absent-hosts.ts';
import { createNodes, graphqlRequest, lease, minute, now } from './fixture.ts';

const hosts = `{ nodes { nodes { host {
  lastAnswerAt failures unreachableSince error
  unremovedMachines { leaseNumber machine capacity { type amount } action { kind } }
  strayMachines { leaseNumber machine status since isRemoved }
} } } }`;

const silent: HostFacts = {
  node: 1,
  answeredAt: now - 5 * minute,
  failures: 3,
  unreachableSince: now - 4 * minute,
  error: 'no route to\u001B[2J host',
  unremoved: [
    { leaseId: 1, machine: 2, capacity: { CPU: 100, Memory: 512 }, actionId: 900 },
    { leaseId: 1, machine: 3, capacity: {}, actionId: 901 },
  ],
  strays: [{ leaseId: 77, machine: 1, status: 'suspended', since: now - minute, isRemoved: true }],
};

/** An API with three nodes, the first of which is in trouble, and the third has never answered. */
async function troubled() {
  const api = await servedApi();
  await createNodes(api.prisma, 3);
  await api.prisma.lease.create({ data: lease(1) });
  await api.prisma.action.create({
    data: {
      ...{ number: 900, kind: 'DESTROY', state: 'PENDING', leaseNumber: 1, targets: [], attempts: 2 },
      at: new Date(now),
    },
  });
  api.leases.hostOf = (node) =>
    node === 1 ? silent : { ...absentHost(node), ...(node === 2 && { answeredAt: now - minute }) };
  return api;
}

test('operators see how hosts do, with one question for all nodes', async () => {
  await using api = await troubled();
  const { data } = await api.ask(hosts);
  expect(data.nodes.nodes.map(({ host }: { host: unknown }) => host)).toEqual([
    {
      lastAnswerAt: '2030-01-31T07:55:00.000Z',
      failures: 3,
      unreachableSince: '2030-01-31T07:56:00.000Z',
      error: silent.error,
      unremovedMachines: [
        {
          leaseNumber: 1,
          machine: 2,
          capacity: [
            { type: 'CPU', amount: 100 },
            { type: 'Memory', amount: 512 },
          ],
          action: { kind: 'DESTROY' },
        },
        { leaseNumber: 1, machine: 3, capacity: [], action: null },
      ],
      strayMachines: [
        {
          leaseNumber: 77,
          machine: 1,
          status: 'SUSPENDED',
          since: '2030-01-31T07:59:00.000Z',
          isRemoved: true,
        },
      ],
    },
    expect.objectContaining({
      lastAnswerAt: '2030-01-31T07:59:00.000Z',
      failures: 0,
      unreachableSince: null,
    }),
    expect.objectContaining({ lastAnswerAt: null, strayMachines: [], unremovedMachines: [] }),
  ]);
  expect(api.leases.hostQuestions).toEqual([[1, 2, 3]]);
});

test('others see nothing of hosts, and the writer is not asked', async () => {
  await using api = await troubled();
  const { createToken } = (await api.ask('mutation { createToken(input: { name: "ada", role: USER }) { secret } }'))
    .data;
  const request = graphqlRequest(hosts);
  request.headers.set('authorization', `Bearer ${createToken.secret}`);
  const answer = await (await api.app.fetch(request)).json();
  expect(answer).toMatchObject({
    data: { nodes: { nodes: [{ host: null }, { host: null }, { host: null }] } },
  });
  expect(api.leases.hostQuestions).toEqual([]);
});

test('while there is no writer, nodes are shown without their hosts', async () => {
  await using api = await troubled();
  api.leases.hostOf = () => {
    throw new CommandError('UNAVAILABLE', 'no writer', [], true);
  };
  expect(await api.ask('{ nodes(first: 1) { nodes { hostname host { failures } } } }')).toMatchObject({
    data: { nodes: { nodes: [{ hostname: 'node-1', host: null }] } },
  });
  expect((await cli('node', '1', ...api.server)).out).not.toMatch(/^host/m);
  expect((await cli('nodes', ...api.server)).out).toMatch(/node-3/);
});

test('the command line shows the host of a node, and of all nodes what is wrong', async () => {
  await using api = await troubled();
  const troubles = [
    'has not answered since 2030-01-31 07:56:00 (3 failures): no route to\uFFFD[2J host',
    'machine 2 of lease 1 could not be removed, and holds CPU:100 Memory:512',
    'machine 3 of lease 1 could not be removed',
    'stray machine 1 of lease 77: suspended, since 2030-01-31 07:59:00, being removed',
  ];
  const { out } = await cli('node', '1', ...api.server);
  expect(out).toContain(['answered 2030-01-31 07:55:00', ...troubles].map((line) => `host      ${line}\n`).join(''));
  expect((await cli('node', '3', ...api.server)).out).toContain('host      has not answered yet\n');
  const { out: nodes } = await cli('nodes', ...api.server);
  expect(nodes.match(/^ {4}.*$/gm)).toEqual([`    ${troubles.join('; ')}`]);
  const { out: json } = await cli('nodes', '--json', ...api.server);
  expect(JSON.parse(json)[0].host).toMatchObject({ failures: 3, strayMachines: [{ leaseNumber: 77 }] });
});
