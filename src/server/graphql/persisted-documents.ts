import { readFileSync } from 'node:fs';
import { GraphQLError } from 'graphql';

/** Documents that clients can send by identifier. */
export interface PersistedDocumentsOptions {
  /** A JSON file: an object of identifiers and documents, or a manifest of Apollo. Null: no document is persisted. */
  readonly manifest: string | null;
  /** Whether all other documents are refused. */
  readonly only: boolean;
}

export const noPersistedDocuments: PersistedDocumentsOptions = { manifest: null, only: false };

interface Parameters {
  readonly query?: string | null | undefined;
  readonly documentId?: unknown;
  readonly extensions?: Readonly<Record<string, unknown>> | null | undefined;
}

export interface PersistedDocuments {
  /** The document text, or why there is none. `query` is undefined if the operation names no document. */
  resolve(parameters: Parameters): { readonly query: string | undefined } | { readonly error: GraphQLError };
}

/** The manifest cannot be used. The message is for people. */
export class ManifestError extends Error {
  override readonly name = 'ManifestError';
}

/** Throws ManifestError. */
export function persistedDocuments({ manifest, only }: PersistedDocumentsOptions): PersistedDocuments {
  const documents = manifest === null ? new Map<string, string>() : readManifest(manifest);
  const texts = new Set(documents.values());
  return {
    resolve: ({ query, documentId, extensions }) => {
      const id = identifierOf(documentId, extensions);
      const known = id === null ? undefined : documents.get(id);
      if (known !== undefined) return { query: known };
      if (query) return only && !texts.has(query) ? { error: onlyPersisted() } : { query };
      if (id === null) return { query: undefined };
      // On the first code, clients with automatic persisted queries switch to sending whole documents.
      return {
        error:
          manifest === null
            ? refusal('PersistedQueryNotSupported', 'PERSISTED_QUERY_NOT_SUPPORTED')
            : refusal('PersistedQueryNotFound', 'PERSISTED_QUERY_NOT_FOUND'),
      };
    },
  };
}

function identifierOf(documentId: unknown, extensions: Parameters['extensions']): string | null {
  if (typeof documentId === 'string') return documentId;
  const persisted = extensions?.persistedQuery as { readonly sha256Hash?: unknown } | null | undefined;
  return typeof persisted?.sha256Hash === 'string' ? persisted.sha256Hash : null;
}

const refusal = (message: string, code: string): GraphQLError =>
  new GraphQLError(message, { extensions: { code, http: { status: 200, spec: true } } });

const onlyPersisted = (): GraphQLError =>
  new GraphQLError('This server accepts only persisted documents (http.persistedDocuments).', {
    extensions: { code: 'PERSISTED_DOCUMENTS_ONLY', http: { status: 400 } },
  });

function readManifest(path: string): Map<string, string> {
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new ManifestError(`${path}: the persisted documents cannot be read: ${(error as Error).message}`);
  }
  const entries =
    typeof content === 'object' && content !== null && 'operations' in content && Array.isArray(content.operations)
      ? content.operations.map(({ id, body }: { id?: unknown; body?: unknown }) => [id, body] as const)
      : Object.entries(content ?? {});
  const documents = new Map<string, string>();
  for (const [id, text] of entries) {
    if (typeof id !== 'string' || typeof text !== 'string') {
      throw new ManifestError(
        `${path}: persisted documents must be an object of identifiers and documents, or a manifest of Apollo`,
      );
    }
    documents.set(id, text);
  }
  return documents;
}
