/**
 * Messages of `userErrors` and of GraphQL errors are whole sentences: the literals in the sources are checked here, and
 * what a server answers in generated.property.test.ts.
 */

import { parseAst } from 'vite';
import { expect, it } from 'vitest';
import { sources } from '../house/sources.ts';
import { isSentence } from './sentences.ts';

type Node = Readonly<Record<string, unknown>> & { readonly type: string };

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string';

/** Functions and classes that are given the message of an error for clients. */
const callees = new Set([
  ...['badInput', 'clientError', 'CommandError', 'failure', 'GraphQLError', 'invalid', 'invalidId'],
  ...['refusal', 'refuse', 'SchedulerError', 'userError'],
]);
/** Clients do not see the messages of errors with these codes: they are of configurations, or of the program. */
const hiddenCodes = new Set(['INTERNAL', 'INVALID_CONFIG', 'INVALID_SITE', 'LEASE_FAILURE']);
/** Names the fields that a body must have, not a message; INVALID_SITE and INVALID_CONFIG. */
const otherFunctions = ['src/server/http/sign-in.ts: invalid', 'src/core/validation.ts: refuse'];

/** Every node of a syntax tree. */
function* nodesOf(value: unknown): Generator<Node> {
  if (Array.isArray(value)) for (const each of value) yield* nodesOf(each);
  else if (isNode(value)) {
    yield value;
    for (const part of Object.values(value)) yield* nodesOf(part);
  }
}

/** A text literal, with `…` for what is put into it; null for another expression. */
function textOf(node: unknown): string | null {
  if (!isNode(node)) return null;
  if (node.type === 'Literal' && typeof node.value === 'string') return node.value;
  if (node.type !== 'TemplateLiteral') return null;
  const parts = node.quasis as readonly { readonly value: { readonly cooked: string } }[];
  return parts.map(({ value }) => value.cooked).join('\u2026');
}

interface Message {
  readonly path: string;
  readonly text: string;
}

function messagesIn(path: string, text: string): Message[] {
  const nodes = [...nodesOf(parseAst(text, { lang: 'ts' }))];
  const constants = new Map<unknown, Node>();
  for (const node of nodes) {
    if (node.type === 'VariableDeclarator' && isNode(node.id) && isNode(node.init)) {
      constants.set(node.id.name, node.init);
    }
  }
  const literals = (node: unknown): string[] => {
    if (!isNode(node)) return [];
    if (node.type === 'ConditionalExpression') return [...literals(node.consequent), ...literals(node.alternate)];
    if (node.type === 'Identifier') return literals(constants.get(node.name));
    const found = textOf(node);
    return found === null ? [] : [found];
  };
  return nodes.flatMap((node) => {
    if (node.type !== 'CallExpression' && node.type !== 'NewExpression') return [];
    const name = isNode(node.callee) ? node.callee.name : undefined;
    if (typeof name !== 'string' || !callees.has(name)) return [];
    if (otherFunctions.includes(`${path}: ${name}`)) return [];
    const texts = (node.arguments as readonly unknown[]).flatMap(literals);
    if (texts.some((each) => hiddenCodes.has(each))) return [];
    // Codes and paths have no blanks.
    return texts.flatMap((each) => (each.includes(' ') ? [{ path, text: each }] : []));
  });
}

const rooms = ['api', 'core', 'engine', 'identity', 'notices', 'server'];
const messages = sources
  .filter(({ path }) => rooms.some((room) => path.startsWith(`src/${room}/`)))
  .flatMap(({ path, text }) => messagesIn(path, text));

it('finds the messages', () => {
  expect(messages.length).toBeGreaterThan(120);
});

it('are whole sentences', () => {
  expect(messages.filter(({ text }) => !isSentence(text))).toEqual([]);
});
