import { type Column, formatTable } from '../table.ts';
import { CliError } from '../terminal.ts';
import { type Client, readAll } from './client.ts';
import { type TokenRowFragment, TokensDocument } from './generated/operations.ts';
import { showInstant } from './show.ts';

/** All tokens, revoked ones included. */
export async function allTokens(client: Client): Promise<TokenRowFragment[]> {
  return readAll(async (after, first) => (await client.request(TokensDocument, { first, after })).tokens);
}

/** A token by its name, prefix or id. Throws CliError. */
export async function findToken(client: Client, wanted: string): Promise<TokenRowFragment> {
  const matching = (await allTokens(client)).filter(
    ({ id, name, prefix }) => id === wanted || name === wanted || prefix === wanted,
  );
  const [first] = matching;
  if (first === undefined) throw new CliError(`there is no token "${wanted}" [TOKEN_NOT_FOUND]`);
  if (matching.length > 1) {
    throw new CliError(`several tokens are called "${wanted}"; use the id: ${matching.map(({ id }) => id).join(', ')}`);
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

export function tokenTable(tokens: readonly TokenRowFragment[], width: number): string {
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
