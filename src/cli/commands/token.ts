import type { Command } from 'commander';
import { type Moment, momentOption, role } from '../client/arguments.ts';
import {
  addServerOptions,
  allPages,
  assertAccepted,
  type Client,
  connect,
  type ServerOptions,
} from '../client/client.ts';
import {
  CreateTokenDocument,
  RevokeTokenDocument,
  type Role,
  type TokenRowFragment,
  TokensDocument,
} from '../client/generated/operations.ts';
import { keyHelp, keyInput, secretNotShown } from '../client/idempotency.ts';
import { resolveMoment } from '../client/moments.ts';
import { findProject } from '../client/projects.ts';
import { showInstant } from '../client/show.ts';
import { addOutputOptions, type OutputOptions, printList, printOne } from '../output.ts';
import { type Column, formatTable } from '../table.ts';
import { CliError, type Terminal } from '../terminal.ts';

type Options = ServerOptions & OutputOptions;

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
      tokens.length === 0 ? 'No tokens.\n' : table(tokens, terminal.tableWidth),
    );
  });
  sub('create', 'Create a token. Its secret is printed on standard output, this once.')
    .argument('<name>', 'name of the token')
    .option('--role <role>', 'viewer, user, operator or admin', role, 'USER')
    .option(
      '--project <project>',
      'project of which it is a member; may be repeated',
      (text, before: readonly string[] = []) => [...before, text],
    )
    .option('--expires <instant>', 'when it expires, such as +30d (default: never)', momentOption)
    .option('--key <key>', keyHelp)
    .action(async (name: string, options: CreateOptions) => {
      const client = connect(options);
      const projects: string[] = [];
      for (const wanted of options.project ?? []) projects.push((await findProject(client, wanted)).id);
      const expiresAt = options.expires ? await resolveMoment(client, '--expires', options.expires) : null;
      const input = { name, role: options.role, projects, expiresAt, ...keyInput(options.key) };
      const {
        token: created,
        secret,
        userErrors,
      } = (await client.request(CreateTokenDocument, { input })).createToken;
      assertAccepted(userErrors);
      if (created === null) throw new CliError('the server answered without a token');
      if (secret === null) throw secretNotShown('token', options.key);
      printOne(terminal, options, { ...created, secret }, () => {
        terminal.err(table([created], terminal.tableWidth));
        return `${secret}\n`;
      });
    });
  sub('revoke', 'Revoke a token.')
    .argument('<token>', 'name, prefix or id of the token')
    .action(async (wanted: string, options: Options) => {
      const client = connect(options);
      const { id } = await findToken(client, wanted);
      const { token: revoked, userErrors } = (await client.request(RevokeTokenDocument, { id })).revokeToken;
      assertAccepted(userErrors);
      if (revoked === null) throw new CliError('the server answered without a token');
      printOne(terminal, options, revoked, () => table([revoked], terminal.tableWidth));
    });
}

async function allTokens(client: Client): Promise<TokenRowFragment[]> {
  const found: TokenRowFragment[] = [];
  const pages = allPages(
    async (after, first) => (await client.request(TokensDocument, { first, after })).tokens,
  );
  for await (const each of pages) found.push(each);
  return found;
}

async function findToken(client: Client, wanted: string): Promise<TokenRowFragment> {
  const matching = (await allTokens(client)).filter(
    ({ id, name, prefix }) => id === wanted || name === wanted || prefix === wanted,
  );
  const [first] = matching;
  if (first === undefined) throw new CliError(`there is no token "${wanted}" [TOKEN_NOT_FOUND]`);
  if (matching.length > 1) {
    throw new CliError(
      `several tokens are called "${wanted}"; use the id: ${matching.map(({ id }) => id).join(', ')}`,
    );
  }
  return first;
}

const columns: readonly Column[] = [
  { title: 'TOKEN' },
  { title: 'PREFIX' },
  { title: 'ROLE' },
  { title: 'PROJECTS', drop: 3 },
  { title: 'EXPIRES (UTC)', drop: 2 },
  { title: 'LAST USED (UTC)', drop: 1 },
  { title: 'REVOKED (UTC)', drop: 4 },
  { title: 'ID', drop: 5 },
];

function table(tokens: readonly TokenRowFragment[], width: number): string {
  return formatTable(
    columns,
    tokens.map((each) => [
      each.name,
      each.prefix,
      each.role,
      each.projects.map(({ name }) => name).join(' '),
      showInstant(each.expiresAt),
      showInstant(each.lastUsedAt),
      showInstant(each.revokedAt),
      each.id,
    ]),
    width,
  );
}
