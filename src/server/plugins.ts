import {
  type DocumentNode,
  type FieldNode,
  type FragmentSpreadNode,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  type InlineFragmentNode,
  Lexer,
  type OperationDefinitionNode,
  parse,
  Source,
  TokenKind,
  type ValidationContext,
} from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { ServerLimits } from './limits.ts';
import { measure } from './measure.ts';

interface OperationArguments {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly operationName?: string | null | undefined;
  readonly variableValues?: unknown;
}

const operationOf = ({
  document,
  operationName,
}: OperationArguments): OperationDefinitionNode | null | undefined =>
  getOperationAST(document, operationName);

const clientError = (code: string, message: string, status: number): GraphQLError =>
  new GraphQLError(message, { extensions: { code, http: { status } } });

const refusal = (...error: Parameters<typeof clientError>) => ({ errors: [clientError(...error)] });

/** Only JSON is taken: a form that a foreign page submits is not. */
export const useJsonOnly = (): Plugin => ({
  onRequestParse({ request, endResponse, fetchAPI }) {
    if (request.method !== 'POST') return;
    const [type] = (request.headers.get('content-type') ?? '').split(';');
    if (type?.trim() === 'application/json') return;
    const message = 'Send the operation as application/json.';
    endResponse(
      fetchAPI.Response.json(
        { errors: [{ message, extensions: { code: 'UNSUPPORTED_MEDIA_TYPE' } }] },
        { status: 415, statusText: 'Unsupported Media Type', headers: { accept: 'application/json' } },
      ),
    );
  },
});

/** Of what a URL carries, `variables` and `extensions` are JSON. */
export const useJsonInUrls = (): Plugin => ({
  onRequestParse({ request, requestParser, setRequestParser }) {
    if (request.method !== 'GET' || !requestParser) return;
    setRequestParser((given) => {
      try {
        return requestParser(given);
      } catch (error) {
        if (!(error instanceof SyntaxError)) throw error;
        throw clientError(
          'BAD_REQUEST',
          `In the URL, "variables" and "extensions" are JSON: ${error.message}.`,
          400,
        );
      }
    });
  },
});

/** How deep brackets of a document may be nested: further than any operation needs, and not as far as recursion reaches. */
const deepestBrackets = 200;

/** Refuses documents with more tokens, and such that are nested too deep to be worked on. */
export const useDocumentLimits = (maxTokens: number): Plugin => ({
  onParse({ setParseFn }) {
    setParseFn((source: string | Source, options?: Parameters<typeof parse>[1]) => {
      try {
        assertShallow(typeof source === 'string' ? new Source(source) : source, maxTokens);
        return parse(source, { ...options, maxTokens });
      } catch (error) {
        // (Over HTTP Yoga would add it.)
        if (error instanceof GraphQLError) error.extensions.code ??= 'GRAPHQL_PARSE_FAILED';
        throw error;
      }
    });
  },
});

function assertShallow(source: Source, maxTokens: number): void {
  const lexer = new Lexer(source);
  let depth = 0;
  for (let tokens = 0; tokens <= maxTokens; tokens++) {
    const { kind } = lexer.advance();
    if (kind === TokenKind.EOF) return;
    if (opening.has(kind)) depth += 1;
    if (closing.has(kind)) depth -= 1;
    if (depth > deepestBrackets) {
      throw clientError('OPERATION_TOO_LARGE', `Brackets are nested more than ${deepestBrackets} deep.`, 400);
    }
  }
}

const opening: ReadonlySet<TokenKind> = new Set([TokenKind.BRACE_L, TokenKind.BRACKET_L, TokenKind.PAREN_L]);
const closing: ReadonlySet<TokenKind> = new Set([TokenKind.BRACE_R, TokenKind.BRACKET_R, TokenKind.PAREN_R]);

/**
 * A subscription's one field is not left out on condition: what would then be subscribed to? (Validation, which does not know variables,
 * counts such a field; the executor does not find it.)
 */
export const useUnconditionalSubscriptions = (): Plugin => ({
  onValidate({ addValidationRule }) {
    addValidationRule((context: ValidationContext) => {
      const conditions = ({ directives }: FieldNode | FragmentSpreadNode | InlineFragmentNode) => {
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
});

/** Refuses operations that are larger than the limits, before anything of them is executed. */
export const useOperationLimits = (limits: Pick<ServerLimits, 'depth' | 'aliases' | 'cost'>): Plugin => {
  const excess = (args: OperationArguments) => {
    const operation = operationOf(args);
    if (!operation) return null;
    const variables = (args.variableValues ?? {}) as Readonly<Record<string, unknown>>;
    const measured = measure(args.schema, args.document, operation, variables);
    const over = (['depth', 'aliases', 'cost'] as const).find((limit) => measured[limit] > limits[limit]);
    return over === undefined
      ? null
      : refusal(
          'OPERATION_TOO_LARGE',
          `The ${over} of this operation is ${measured[over]}; at most ${limits[over]} is taken. Ask for less at once, in smaller pages.`,
          400,
        );
  };
  return {
    onExecute({ args, setResultAndStopExecution }) {
      const refused = excess(args);
      if (refused) setResultAndStopExecution(refused);
    },
    onSubscribe({ args, setResultAndStopExecution }) {
      const refused = excess(args);
      if (refused) setResultAndStopExecution(refused);
    },
  };
};

/** Reads nothing more for a client that has gone. (A mutation is never left half-way.) */
export const useQueryCancellation = (): Plugin<{ readonly request?: Request }> => ({
  onExecute({ args }) {
    const { signal } = args.contextValue.request ?? {};
    if (signal && operationOf(args)?.operation === 'query') Object.assign(args, { signal });
  },
});

/** Answers in time, with or without the result. What a mutation has begun goes on. */
export const useOperationTimeout = (milliseconds: number): Plugin => ({
  onExecute({ executeFn, setExecuteFn }) {
    setExecuteFn((args) => {
      const executing = executeFn(args);
      if (!(executing instanceof Promise)) return executing;
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          resolve(
            refusal(
              'TIMEOUT',
              `There was no result within ${milliseconds / 1_000} s. If this was a mutation, it may have been carried out: look, or send a request again with the same idempotency key.`,
              503,
            ),
          );
        }, milliseconds);
        executing.then(resolve, reject).finally(() => clearTimeout(timer));
      });
    });
  },
});

/** Tells how long operations took and how they ended. */
export const useOperationMetrics = (
  observe: (operation: string, outcome: 'ok' | 'errors', seconds: number) => void,
): Plugin => ({
  onExecute({ args }) {
    const started = performance.now();
    const operation = operationOf(args)?.operation ?? 'query';
    return {
      onExecuteDone({ result }) {
        const failed = 'errors' in result && (result.errors?.length ?? 0) > 0;
        observe(operation, failed ? 'errors' : 'ok', (performance.now() - started) / 1_000);
      },
    };
  },
});
