/** Checks of documents before execution. */
import {
  type FieldNode,
  type FragmentSpreadNode,
  GraphQLError,
  type InlineFragmentNode,
  Lexer,
  parse,
  Source,
  TokenKind,
  type ValidationContext,
} from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { clientError } from './requests.ts';

/** Maximum nesting of brackets: more than any operation needs, less than the recursion limit. */
const maxBracketDepth = 200;

/** Refuses documents with more tokens, and documents that are nested too deep to be processed. */
export function useDocumentLimits(maxTokens: number): Plugin {
  return {
    onParse({ setParseFn }) {
      setParseFn((source: string | Source, options?: Parameters<typeof parse>[1]) => {
        try {
          assertShallow(typeof source === 'string' ? new Source(source) : source, maxTokens);
          return parse(source, { ...options, maxTokens });
        } catch (error) {
          // Yoga would add it over HTTP.
          if (error instanceof GraphQLError) error.extensions.code ??= 'GRAPHQL_PARSE_FAILED';
          throw error;
        }
      });
    },
  };
}

const opening: ReadonlySet<TokenKind> = new Set([TokenKind.BRACE_L, TokenKind.BRACKET_L, TokenKind.PAREN_L]);
const closing: ReadonlySet<TokenKind> = new Set([TokenKind.BRACE_R, TokenKind.BRACKET_R, TokenKind.PAREN_R]);

function assertShallow(source: Source, maxTokens: number): void {
  const lexer = new Lexer(source);
  let depth = 0;
  for (let tokens = 0; tokens <= maxTokens; tokens++) {
    const { kind } = lexer.advance();
    if (kind === TokenKind.EOF) return;
    if (opening.has(kind)) depth += 1;
    if (closing.has(kind)) depth -= 1;
    if (depth > maxBracketDepth) {
      throw clientError('OPERATION_TOO_LARGE', `Brackets are nested more than ${maxBracketDepth} deep.`, 400);
    }
  }
}

/**
 * The field of a subscription cannot be left out on a condition: there would be nothing to subscribe to. (Validation
 * does not know variables and counts such a field; the executor does not find it.)
 */
export function useUnconditionalSubscriptions(): Plugin {
  return {
    onValidate({ addValidationRule }) {
      addValidationRule((context: ValidationContext) => {
        const conditions = ({ directives }: FieldNode | FragmentSpreadNode | InlineFragmentNode): void => {
          if (context.getParentType() !== context.getSchema().getSubscriptionType()) return;
          for (const directive of directives ?? []) {
            const name = directive.name.value;
            if (name !== 'skip' && name !== 'include') continue;
            const message = `The field of a subscription cannot have a condition (@${name}).`;
            context.reportError(new GraphQLError(message, { nodes: directive }));
          }
        };
        return { Field: conditions, FragmentSpread: conditions, InlineFragment: conditions };
      });
    },
  };
}

/** Maximum length of a cached document (characters); longer documents are parsed each time to save memory. */
const maxCachedLength = 5_000;
const maxCachedDocuments = 200;

/** A cache of parsed documents by text. `onLookup` receives whether it was a hit. */
export function documentCache<T>(onLookup: (hit: boolean) => void = () => {}) {
  const kept = new Map<string, T>();
  return {
    get: (text: string) => {
      const found = kept.get(text);
      onLookup(found !== undefined);
      return found;
    },
    set: (text: string, value: T) => {
      if (text.length > maxCachedLength) return;
      const [oldest] = kept.keys();
      if (oldest !== undefined && kept.size >= maxCachedDocuments) kept.delete(oldest);
      kept.set(text, value);
    },
  };
}
