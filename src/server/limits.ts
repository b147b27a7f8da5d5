/** Limits per client. */
export interface ServerLimits {
  /** Maximum size of a request body and of a WebSocket message, bytes. */
  readonly bodyBytes: number;
  /** Maximum tokens of a GraphQL document. */
  readonly tokens: number;
  /** Maximum depth of nested fields. */
  readonly depth: number;
  readonly aliases: number;
  /** Maximum depth of lists and objects in variables. */
  readonly variableDepth: number;
  /** Maximum cost of an operation: the objects and texts that it can return. */
  readonly cost: number;
  /** Rate limit per principal: bucket size and refill per second. */
  readonly costBurst: number;
  readonly costPerSecond: number;
  /** Rate limit per address: bucket size and refill per second. */
  readonly costBurstPerAddress: number;
  readonly costPerSecondPerAddress: number;
  /** Maximum concurrent operations per WebSocket. */
  readonly operationsPerConnection: number;
  /** Timeout of a query or mutation, milliseconds. */
  readonly operationTimeout: number;
  /** Maximum concurrent queries and reads for subscribers that are behind; others wait. */
  readonly concurrentReads: number;
  /** Bytes that answers may take which are given again while nothing is committed; 0: none are kept. */
  readonly cachedBytes: number;
  /** Maximum unanswered requests per connection; a client that exceeds it is disconnected. */
  readonly pipelinedRequests: number;
  /** Timeout for a client to read the next part of an answer, milliseconds. */
  readonly writeTimeout: number;
}

export const defaultServerLimits: ServerLimits = {
  bodyBytes: 1_000_000,
  tokens: 5_000,
  depth: 15,
  aliases: 100,
  variableDepth: 100,
  cost: 200_000,
  costBurst: 1_000_000,
  costPerSecond: 100_000,
  costBurstPerAddress: 10_000_000,
  costPerSecondPerAddress: 1_000_000,
  operationsPerConnection: 100,
  operationTimeout: 30_000,
  concurrentReads: 4,
  cachedBytes: 32_000_000,
  pipelinedRequests: 100,
  writeTimeout: 30_000,
};
