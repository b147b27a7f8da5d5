/**
 * Answers to queries that are given again while nothing has been committed (docs/decisions/api-lists.md). An execution
 * that is under way is shared by equal queries. Limits, costs and rates apply as if each query were executed.
 */
import {
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  type GraphQLSchema,
  getOperationAST,
  print,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { Counter, Gauge, type Registry } from 'prom-client';
import { type ApiContext, isStored, viewOf, withUseTracking } from '../../api/index.ts';

/**
 * `shared`: of an execution that was under way; `volatile`: executed, and dependent on more than what is stored;
 * `unknown`: executed, since it was not known in time what is committed.
 */
export type CacheOutcome = 'hit' | 'shared' | 'miss' | 'volatile' | 'unknown';

export interface ResponseCacheOptions {
  /** What the answers may take. */
  readonly maxBytes: number;
  /** Two calls give the same text only if nothing was committed in between. Null: it is not known. */
  readonly version: () => Promise<string | null>;
  readonly onAnswer?: ((outcome: CacheOutcome) => void) | undefined;
}

export interface Executed {
  readonly result: ExecutionResult;
  /** Whether the result follows from the key and from what is stored. */
  readonly isStored: boolean;
}

/** Of one answer. */
const maxAnswerBytes = 1_000_000;
/** How long a query waits to learn what the newest commit is before it is executed regardless (ms). */
const versionTimeout = 500;

export class ResponseCache {
  /** All of one version, the least recently used first. Null: the answer is volatile. */
  private readonly answers = new Map<string, string | null>();
  private underWay = new Map<string, Promise<string | null>>();
  private version: string | null = null;
  private used = 0;
  private readonly latest: () => Promise<string | null>;

  constructor(private readonly options: ResponseCacheOptions) {
    this.latest = oneAtATime(options.version);
  }

  /** What the answers take, at two bytes per character. */
  get bytes(): number {
    return this.used;
  }

  /** The result of a query as of a moment after the call. `run` executes it. */
  async answer(key: string, run: () => Promise<Executed>): Promise<ExecutionResult> {
    const version = await withinTimeout(this.latest());
    if (version === null) {
      this.options.onAnswer?.('unknown');
      return (await run()).result;
    }
    if (version !== this.version) this.moveTo(version);
    const kept = this.answers.get(key);
    if (kept === null) return this.execute(key, version, run);
    if (kept !== undefined) {
      this.options.onAnswer?.('hit');
      this.answers.delete(key);
      this.answers.set(key, kept);
      return resultOf(kept);
    }
    const other = this.underWay.get(key);
    if (other === undefined) return this.executeForAll(key, version, run);
    const shared = await other;
    // Of one that failed, or whose client has gone, the others learn nothing.
    if (shared === null) return this.execute(key, version, run);
    this.options.onAnswer?.('shared');
    return resultOf(shared);
  }

  private async executeForAll(key: string, version: string, run: () => Promise<Executed>): Promise<ExecutionResult> {
    const { underWay } = this;
    let settle: (text: string | null) => void = () => {};
    const execution = new Promise<string | null>((resolve) => {
      settle = resolve;
    });
    underWay.set(key, execution);
    try {
      return await this.execute(key, version, run, (text) => settle(text));
    } finally {
      underWay.delete(key);
      settle(null);
    }
  }

  private async execute(
    key: string,
    version: string,
    run: () => Promise<Executed>,
    onText: (text: string) => void = () => {},
  ): Promise<ExecutionResult> {
    const { isStored: mayBeKept, result } = await run();
    if (!mayBeKept) {
      this.options.onAnswer?.('volatile');
      this.keep(key, version, null);
      return result;
    }
    this.options.onAnswer?.('miss');
    if (result.errors !== undefined || result.data == null) return result;
    const text = JSON.stringify(result.data);
    this.keep(key, version, text);
    onText(text);
    return { ...result, ...resultOf(text) };
  }

  /**
   * The execution may have seen later commits than those of the version that was read before it. Then the next version
   * differs, and the answer is not given: it is only while the version is still the same.
   */
  private keep(key: string, version: string, text: string | null): void {
    const { maxBytes } = this.options;
    const bytes = bytesOf(key, text);
    if (version !== this.version || this.answers.has(key)) return;
    if (bytes > Math.min(maxAnswerBytes, maxBytes)) return;
    this.answers.set(key, text);
    this.used += bytes;
    for (const [oldest, other] of this.answers) {
      if (this.used <= maxBytes) break;
      this.answers.delete(oldest);
      this.used -= bytesOf(oldest, other);
    }
  }

  /** What is kept of another version is of no more use. */
  private moveTo(version: string): void {
    this.version = version;
    this.answers.clear();
    this.underWay = new Map();
    this.used = 0;
  }
}

function bytesOf(key: string, text: string | null): number {
  return 2 * (key.length + (text?.length ?? 0));
}

/** The data of a result as text, for those that serialize results. */
class StoredData {
  constructor(private readonly text: string) {}

  toJSON(): unknown {
    return JSON.parse(this.text);
  }
}

/** Yoga serializes a result with the function that it carries. */
function resultOf(text: string): ExecutionResult {
  const stringify = ({ data: _data, ...rest }: ExecutionResult): string => {
    const others = JSON.stringify(rest);
    return others === '{}' ? `{"data":${text}}` : `{"data":${text},${others.slice(1)}`;
  };
  return { data: new StoredData(text), stringify } as unknown as ExecutionResult;
}

/** Calls made while one is under way share the next one, which begins when that one has ended. */
function oneAtATime<T>(ask: () => Promise<T>): () => Promise<T> {
  let running: Promise<unknown> = Promise.resolve();
  let next: Promise<T> | null = null;
  return () => {
    next ??= running.then(() => {
      next = null;
      const asked = ask();
      running = asked.catch(() => {});
      return asked;
    });
    return next;
  };
}

/** Null also when it cannot be known, or not soon. */
function withinTimeout(version: Promise<string | null>): Promise<string | null> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(null), versionTimeout);
    version
      .catch(() => null)
      .then((known) => {
        clearTimeout(timer);
        resolve(known);
      });
  });
}

/** Characters of a document with its variables: longer ones are executed each time. */
const maxKeyLength = 20_000;

interface Query {
  readonly text: string;
  readonly isStored: boolean;
}

const queries = new WeakMap<DocumentNode, Query>();

function queryOf(schema: GraphQLSchema, document: DocumentNode): Query {
  const known = queries.get(document);
  if (known) return known;
  let allStored = true;
  const types = new TypeInfo(schema);
  visit(
    document,
    visitWithTypeInfo(types, {
      Field: ({ name }) => {
        allStored &&= isStored(types.getParentType()?.name ?? '', name.value);
      },
    }),
  );
  const query = { text: document.loc?.source.body ?? print(document), isStored: allStored };
  queries.set(document, query);
  return query;
}

/**
 * Equal for queries whose results are equal at any moment. Null for operations whose results are not given to others:
 * those that are not queries of stored fields alone.
 */
function keyOf({ contextValue, document, operationName, schema, variableValues }: ExecutionArgs): string | null {
  if (getOperationAST(document, operationName)?.operation !== 'query') return null;
  const { isStored: allStored, text } = queryOf(schema, document);
  if (!allStored || text.length > maxKeyLength) return null;
  const { principal, services } = contextValue as ApiContext;
  const view = viewOf(principal, services.identity.visibility).key;
  const rights = [principal.role, principal.projects, view];
  const key = JSON.stringify([rights, operationName ?? null, variableValues ?? null, text]);
  return key.length > maxKeyLength ? null : key;
}

/** Outside of what waits for its turn, so that answers that are kept do not wait. */
export function useResponseCache(cache: ResponseCache): Plugin<ApiContext> {
  return {
    onExecute({ args, executeFn, setExecuteFn }) {
      const key = keyOf(args as unknown as ExecutionArgs);
      if (key === null) return;
      setExecuteFn((given: ExecutionArgs) =>
        cache.answer(key, async () => {
          let isStoredAlone = true;
          const contextValue = withUseTracking(given.contextValue as ApiContext, () => {
            isStoredAlone = false;
          });
          const result = (await executeFn({ ...given, contextValue })) as ExecutionResult;
          return { result, isStored: isStoredAlone };
        }),
      );
    },
  };
}

/** A cache whose use is shown as metrics. */
export function measuredCache(options: ResponseCacheOptions, registry: Registry): ResponseCache {
  const answers = new Counter({
    name: 'leasegraph_cached_answers_total',
    help: 'Answers to queries of stored fields: kept (hit), of an execution under way (shared), executed (miss), executed and dependent on more than what is stored (volatile), or executed since it was not known in time what is committed (unknown).',
    labelNames: ['outcome'],
    registers: [registry],
  });
  const cache = new ResponseCache({ ...options, onAnswer: (outcome) => answers.inc({ outcome }) });
  new Gauge({
    name: 'leasegraph_cached_answers_bytes',
    help: 'What the kept answers to queries take.',
    registers: [registry],
    collect() {
      this.set(cache.bytes);
    },
  });
  return cache;
}
