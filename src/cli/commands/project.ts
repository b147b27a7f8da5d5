import type { Command } from 'commander';
import {
  addServerOptions,
  assertAccepted,
  type Client,
  connect,
  readAll,
  type ServerOptions,
} from '../client/client.ts';
import {
  CreateProjectDocument,
  type MemberRowFragment,
  MembersDocument,
  type TokenRowFragment,
  UpdateProjectDocument,
  UpdateTokenDocument,
} from '../client/generated/operations.ts';
import { keyHelp, keyInput } from '../client/idempotency.ts';
import { allProjects, findProject, type ProjectRow } from '../client/projects.ts';
import { showInstant } from '../client/show.ts';
import { findToken, tokenTable } from '../client/tokens.ts';
import { addOutputOptions, type OutputOptions, printList, printOne } from '../output.ts';
import { formatTable } from '../table.ts';
import { CliError, type Terminal } from '../terminal.ts';

type Options = ServerOptions & OutputOptions;

export default function project(command: Command, terminal: Terminal): void {
  const sub = (name: string, description: string) =>
    addOutputOptions(addServerOptions(command.command(name).description(description)));

  sub('list', 'List projects.').action(async (options: Options) => {
    const projects = await allProjects(connect(options));
    printList(terminal, options, projects, () =>
      projects.length === 0 ? 'No projects.\n' : table(projects, terminal.tableWidth),
    );
  });
  sub('create', 'Create a project.')
    .argument('<name>', 'name of the project')
    .option('--key <key>', keyHelp)
    .action(async (name: string, options: Options & { readonly key?: string }) => {
      const input = { name, ...keyInput(options.key) };
      const { createProject } = await connect(options).request(CreateProjectDocument, { input });
      show(createProject, options, terminal);
    });
  sub('rename', 'Rename a project.')
    .argument('<project>', 'name or id of the project')
    .argument('<name>', 'its new name')
    .action(async (wanted: string, name: string, options: Options) => {
      const client = connect(options);
      const { id } = await findProject(client, wanted);
      const { updateProject } = await client.request(UpdateProjectDocument, { input: { id, name } });
      show(updateProject, options, terminal);
    });

  const members = command.command('members').description('List and change who belongs to a project.');
  const membersSub = (name: string, description: string) =>
    addOutputOptions(addServerOptions(members.command(name).description(description))).argument(
      '<project>',
      'name or id of the project',
    );
  membersSub('list', 'List the members of a project.').action(async (wanted: string, options: Options) => {
    const client = connect(options);
    const found = await allMembers(client, (await findProject(client, wanted)).id);
    printList(terminal, options, found, () =>
      found.length === 0 ? 'No members.\n' : memberTable(found, terminal.tableWidth),
    );
  });
  for (const [name, list, description] of [
    ['add', 'addProjects', 'Make the holders of tokens members of a project.'],
    ['remove', 'removeProjects', 'Take the membership of a project from the holders of tokens.'],
  ] as const) {
    membersSub(name, description)
      .argument('<token...>', 'names, prefixes or ids of tokens')
      .action(async (wanted: string, tokens: readonly string[], options: Options) => {
        const client = connect(options);
        const { id: project } = await findProject(client, wanted);
        const changed: TokenRowFragment[] = [];
        for (const each of tokens) {
          const { id } = await findToken(client, each);
          const input = { id, [list]: [project] };
          const { token, userErrors } = (await client.request(UpdateTokenDocument, { input })).updateToken;
          assertAccepted(userErrors);
          if (token !== null) changed.push(token);
        }
        printList(terminal, options, changed, () => tokenTable(changed, terminal.tableWidth));
      });
  }
}

async function allMembers(client: Client, id: string): Promise<MemberRowFragment[]> {
  return readAll(async (after, first) => {
    const { node } = await client.request(MembersDocument, { id, first, after });
    if (node === null || !('members' in node)) throw new CliError('the server answered without a project');
    return node.members;
  });
}

function memberTable(members: readonly MemberRowFragment[], width: number): string {
  return formatTable(
    [{ title: 'MEMBER' }, { title: 'ROLE' }, { title: 'PROJECTS', drop: 1 }],
    members.map(({ name, role, projects }) => [name, role, projects.map((each) => each.name).join(' ')]),
    width,
  );
}

interface Payload {
  readonly project: ProjectRow | null;
  readonly userErrors: Parameters<typeof assertAccepted>[0];
}

function show({ project, userErrors }: Payload, options: Options, terminal: Terminal): void {
  assertAccepted(userErrors);
  if (project === null) throw new CliError('the server answered without a project');
  printOne(terminal, options, project, () => table([project], terminal.tableWidth));
}

function table(projects: readonly ProjectRow[], width: number): string {
  return formatTable(
    [{ title: 'PROJECT' }, { title: 'CREATED (UTC)', drop: 1 }, { title: 'ID', drop: 2 }],
    projects.map(({ id, name, createdAt }) => [name, showInstant(createdAt), id]),
    width,
  );
}
