/** Request parameters, including persisted documents. */
import { GraphQLError } from 'graphql';
import type { GraphQLParams, Plugin } from 'graphql-yoga';
import type { RequestContext } from './context.ts';
import type { PersistedDocuments } from './persisted-documents.ts';

export const clientError = (code: string, message: string, status: number): GraphQLError =>
  new GraphQLError(message, { extensions: { code, http: { status } } });

/** Uses the body that was already parsed. */
export function useParsedBody(): Plugin<object, RequestContext> {
  return {
    onRequestParse({ request, serverContext, setRequestParser }) {
      if (request.method !== 'POST') return;
      setRequestParser(() => {
        const body = (serverContext as RequestContext | undefined)?.body;
        if (typeof body === 'object' && body !== null) return body as GraphQLParams;
        throw clientError(
          'BAD_REQUEST',
          `The body must be a JSON object with the member "query", not ${body === null ? 'null' : `a ${typeof body}`}.`,
          400,
        );
      });
    },
  };
}

/** `variables` and `extensions` in a URL are JSON. */
export function useJsonInUrls(): Plugin {
  return {
    onRequestParse({ request, requestParser, setRequestParser }) {
      if (request.method !== 'GET' || !requestParser) return;
      setRequestParser((given) => {
        try {
          return requestParser(given);
        } catch (error) {
          if (!(error instanceof SyntaxError)) throw error;
          throw clientError('BAD_REQUEST', '"variables" and "extensions" in the URL must be valid JSON.', 400);
        }
      });
    },
  };
}

/** Refuses variables that are nested too deep: recursive functions would exceed the stack. */
export function useVariableDepth(maxDepth: number): Plugin {
  return {
    onParams({ params }) {
      const error = depthError(params.variables, maxDepth);
      if (error) throw error;
    },
  };
}

/** Null if lists and objects in the variables are not nested too deep. */
export function depthError(variables: unknown, maxDepth: number): GraphQLError | null {
  if (!isDeeperThan(variables, maxDepth)) return null;
  return clientError('BAD_REQUEST', `The variables are nested deeper than ${maxDepth} levels.`, 400);
}

/** Level by level, without recursion. */
function isDeeperThan(value: unknown, depth: number): boolean {
  let level: unknown[] = [value];
  for (let at = 0; at <= depth && level.length > 0; at += 1)
    level = level.flatMap((each) => (typeof each === 'object' && each !== null ? Object.values(each) : []));
  return level.length > 0;
}

/** Replaces the hash of a persisted document by the document. */
export function usePersistedDocuments(documents: PersistedDocuments): Plugin {
  return {
    onParams({ params, setParams }) {
      const resolved = documents.resolve(params);
      if ('error' in resolved) throw resolved.error;
      const { documentId: _documentId, ...rest } = params as GraphQLParams & { documentId?: unknown };
      if (resolved.query !== undefined) setParams({ ...rest, query: resolved.query });
    },
  };
}
