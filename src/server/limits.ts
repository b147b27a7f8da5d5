/** What one client may request of the server at once. */
export interface ServerLimits {
  /** Bytes of a request's body, and of a WebSocket message. */
  readonly bodyBytes: number;
  /** Tokens of a GraphQL document. */
  readonly tokens: number;
  /** Levels of nested fields. */
  readonly depth: number;
  readonly aliases: number;
  /** Objects that an operation may read, estimated before it is executed. */
  readonly cost: number;
  /** Cost that one principal may spend: at once, and per second. */
  readonly costBurst: number;
  readonly costPerSecond: number;
  /** Cost that all clients of one address may spend: at once, and per second. */
  readonly costBurstPerAddress: number;
  readonly costPerSecondPerAddress: number;
  /** Operations at the same time on one WebSocket. */
  readonly operationsPerConnection: number;
  /** Milliseconds after which a query or a mutation is answered without its result. */
  readonly operationTimeout: number;
  /** Queries, and reads for subscribers that are behind, that are carried out at the same time; the others wait. */
  readonly concurrentReads: number;
  /** Bytes that answers may take which are given again while nothing is committed; 0: none are kept. */
  readonly cachedBytes: number;
  /** Requests on one connection that may be without a complete answer; a client that sends more is disconnected. */
  readonly pipelinedRequests: number;
  /** Milliseconds that a client may take to read the next piece of an answer before it is disconnected. */
  readonly writeTimeout: number;
}

export const defaultServerLimits: ServerLimits = {
  bodyBytes: 1_000_000,
  tokens: 5_000,
  depth: 15,
  aliases: 100,
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
