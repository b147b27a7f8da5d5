import type { Command } from 'commander';
import { addServerOptions, assertAccepted, connect, type ServerOptions } from '../client/client.ts';
import { CreateProjectDocument, UpdateProjectDocument } from '../client/generated/operations.ts';
import { keyHelp, keyInput } from '../client/idempotency.ts';
import { allProjects, findProject, type ProjectRow } from '../client/projects.ts';
import { showInstant } from '../client/show.ts';
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
