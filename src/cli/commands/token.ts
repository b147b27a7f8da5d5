import type { Command } from 'commander';
import { type Moment, momentOption, role } from '../client/arguments.ts';
import { addServerOptions, assertAccepted, type Client, connect, type ServerOptions } from '../client/client.ts';
import {
  CreateTokenDocument,
  RevokeTokenDocument,
  type Role,
  type TokenRowFragment,
  UpdateTokenDocument,
} from '../client/generated/operations.ts';
import { keyHelp, keyInput, secretNotShown } from '../client/idempotency.ts';
import { resolveMoment } from '../client/moments.ts';
import { findProject } from '../client/projects.ts';
import { allTokens, findToken, tokenTable } from '../client/tokens.ts';
import { addOutputOptions, type OutputOptions, printList, printOne } from '../output.ts';
import { CliError, type Terminal } from '../terminal.ts';

type Options = ServerOptions & OutputOptions;

interface UpdateOptions extends Options {
  readonly role?: Role;
  readonly project?: readonly string[];
  readonly addProject?: readonly string[];
  readonly removeProject?: readonly string[];
  readonly expires?: Moment | 'never';
}

interface CreateOptions extends Options {
  readonly role: Role;
  readonly project?: readonly string[];
  readonly expires?: Moment;
  readonly key?: string;
}

export default function token(command: Command, terminal: Terminal): void {
  const sub = (name: string, description: string) =>
    addOutputOptions(addServerOptions(command.command(name).description(description)));

  sub('list', 'List tokens.').action(async (options: Options) => {
    const tokens = await allTokens(connect(options));
    printList(terminal, options, tokens, () =>
      tokens.length === 0 ? 'No tokens.\n' : tokenTable(tokens, terminal.tableWidth),
    );
  });
  sub('create', 'Create a token. Its secret is printed on standard output, this once.')
    .argument('<name>', 'name of the token')
    .option('--role <role>', 'viewer, user, operator or admin', role, 'USER')
    .option('--project <project>', 'project of which it is a member; may be repeated', several)
    .option('--expires <instant>', 'when it expires, such as +30d (default: never)', momentOption)
    .option('--key <key>', keyHelp)
    .action(async (name: string, options: CreateOptions) => {
      const client = connect(options);
      const projects = (await projectIds(client, options.project)) ?? [];
      const expiresAt = options.expires ? await resolveMoment(client, '--expires', options.expires) : null;
      const input = { name, role: options.role, projects, expiresAt, ...keyInput(options.key) };
      const { token: created, secret, userErrors } = (await client.request(CreateTokenDocument, { input })).createToken;
      assertAccepted(userErrors);
      if (created === null) throw new CliError('the server answered without a token');
      if (secret === null) throw secretNotShown('token', options.key);
      printOne(terminal, options, { ...created, secret }, () => {
        terminal.err(tokenTable([created], terminal.tableWidth));
        return `${secret}\n`;
      });
    });
  sub('update', 'Change the role, the projects or the expiry of a token.')
    .argument('<token>', 'name, prefix or id of the token')
    .option('--role <role>', 'viewer, user, operator or admin', role)
    .option('--project <project>', 'all its projects from now on; may be repeated', several)
    .option('--add-project <project>', 'project of which it becomes a member; may be repeated', several)
    .option('--remove-project <project>', 'project of which it is no longer a member; may be repeated', several)
    .option('--expires <instant>', 'when it expires from now on, such as +30d, or "never"', (text) =>
      text === 'never' ? text : momentOption(text),
    )
    .action(async (wanted: string, options: UpdateOptions) => {
      const client = connect(options);
      const { id } = await findToken(client, wanted);
      const { expires } = options;
      const { updateToken } = await client.request(UpdateTokenDocument, {
        input: {
          id,
          ...(options.role && { role: options.role }),
          ...(options.project && { projects: await projectIds(client, options.project) }),
          ...(options.addProject && { addProjects: await projectIds(client, options.addProject) }),
          ...(options.removeProject && { removeProjects: await projectIds(client, options.removeProject) }),
          ...(expires !== undefined && {
            expiresAt: expires === 'never' ? null : await resolveMoment(client, '--expires', expires),
          }),
        },
      });
      show(updateToken, options, terminal);
    });
  sub('revoke', 'Revoke a token.')
    .argument('<token>', 'name, prefix or id of the token')
    .action(async (wanted: string, options: Options) => {
      const client = connect(options);
      const { id } = await findToken(client, wanted);
      show((await client.request(RevokeTokenDocument, { id })).revokeToken, options, terminal);
    });
}

function several(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text];
}

async function projectIds(client: Client, wanted: readonly string[] | undefined): Promise<string[] | undefined> {
  if (wanted === undefined) return undefined;
  const ids: string[] = [];
  for (const each of wanted) ids.push((await findProject(client, each)).id);
  return ids;
}

interface Payload {
  readonly token: TokenRowFragment | null;
  readonly userErrors: Parameters<typeof assertAccepted>[0];
}

function show({ token: changed, userErrors }: Payload, options: Options, terminal: Terminal): void {
  assertAccepted(userErrors);
  if (changed === null) throw new CliError('the server answered without a token');
  printOne(terminal, options, changed, () => tokenTable([changed], terminal.tableWidth));
}
