/** Every stable code is in docs/api.md, and docs/api.md has no other: codes are read from the sources, both ways. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { userErrorCodes } from '../../src/api/schema/mutations/codes.ts';
import { sources } from '../house/sources.ts';

const docs = readFileSync(new URL('../../docs/api.md', import.meta.url), 'utf8');

/** The text under a heading of docs/api.md. */
function section(heading: string): string {
  const [, after = ''] = docs.split(`\n${heading}\n`);
  return after.split(/^##+ /m)[0] ?? '';
}

/** The codes in the first column of a table. */
const codesOf = (text: string): string[] =>
  [...text.matchAll(/^\| ([^|]*) \|/gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`([A-Z_]+)`/g)].map(([, code = '']) => code),
  );

const sorted = (codes: Iterable<string>) => [...new Set(codes)].sort();

/** What a pattern with one group finds in the sources of some rooms. */
function found(rooms: readonly string[], ...patterns: readonly RegExp[]): string[] {
  const texts = sources.filter(({ path }) => rooms.some((room) => path.startsWith(`src/${room}/`)));
  return texts.flatMap(({ path, text }) => {
    const all = patterns.flatMap((pattern) => [...text.matchAll(pattern)].map(([, code = '']) => code));
    return all.filter((code) => !(code in notCodes && path.endsWith(notCodes[code] ?? '')));
  });
}

/** Codes in the sources that clients see in none of the tables, and where they are. */
const notCodes: Readonly<Record<string, string>> = {
  // WaitingCode: the enum of the schema lists them.
  QUARANTINED: 'api/schema/waiting.ts',
  // There is no receiver.
  CANCELLED: 'server/graphql/operations.ts',
};

/** Codes that graphql-yoga gives to errors. */
const ofLibraries = [
  'GRAPHQL_VALIDATION_FAILED',
  'GRAPHQL_PARSE_FAILED',
  'BAD_REQUEST',
  'OPERATION_RESOLUTION_FAILURE',
];
/** Errors of the engine that end a subscription as they are (subscriptions/delivery.ts). */
const ofFeeds = ['EVENTS_EXPIRED', 'INVALID_REQUEST', 'UNAVAILABLE'];

it('lists the codes of errors outside of mutations', () => {
  const inSources = found(
    ['api', 'server'],
    /clientError\(\s*'([A-Z_]+)'/g,
    /failure\(\s*\d+,\s*'([A-Z_]+)'/g,
    /code: '([A-Z_]+)'/g,
    /code: \w+ \? '([A-Z_]+)' : '[A-Z_]+'/g,
    /code: \w+ \? '[A-Z_]+' : '([A-Z_]+)'/g,
    /code \?\?= '([A-Z_]+)'/g,
    /refusal\('\w+', '([A-Z_]+)'/g,
  );
  const inDocs = codesOf(section('## Errors outside of mutations'));
  expect(sorted(inDocs)).toEqual(sorted([...inSources, ...ofLibraries, ...ofFeeds]));
});

it('lists the codes of stateReason', () => {
  const constants = found(['core'], /^export const \w+ = '([A-Z_]+)';$/gm);
  const ofNodes = ['OPERATOR', 'START_FAILED', 'HOST', 'HOST_DISABLED'];
  const ofChecks = ['UNKNOWN_NODE', 'INCOMPLETE_LEASE', 'OVER_CAPACITY', 'REFUSED_LEASE'];
  const inSources = found(['core', 'engine'], /\bcode: '([A-Z_]+)'/g, /notSchedulable\(\s*'([A-Z_]+)'/g);
  const expected = [...inSources, ...constants].filter((code) => ![...ofNodes, ...ofChecks].includes(code));
  expect(sorted(codesOf(section('### Codes of `stateReason`')))).toEqual(sorted(expected));
});

it('has no code of userErrors that no mutation answers', () => {
  const texts = sources.filter(
    ({ path }) => path.startsWith('src/') && !/prisma|generated|mutations\/codes\.ts$/.test(path),
  );
  const unused = Object.keys(userErrorCodes).filter((code) => !texts.some(({ text }) => text.includes(`'${code}'`)));
  expect(unused).toEqual([]);
});
