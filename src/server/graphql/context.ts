import type { Principal } from '../../engine/ports.ts';

/** What each operation brings besides its document and variables. */
export interface RequestContext {
  readonly principal: Principal;
  /** Names the request in answers and in the log. */
  readonly requestId: string;
  /** The parsed body of a POST. */
  readonly body?: unknown;
}
