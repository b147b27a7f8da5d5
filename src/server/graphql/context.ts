import type { TraceParent } from '../../engine/ports.ts';
import type { Identity } from '../../identity/index.ts';

/** The context of each operation. */
export interface RequestContext {
  readonly principal: Identity;
  /** Names the request in answers and in the log. */
  readonly requestId: string;
  /** From which address the request comes; null or absent where there is no connection. */
  readonly address?: string | null | undefined;
  /** The trace that the request belongs to, if work is traced. */
  readonly trace?: TraceParent | undefined;
  /** The parsed body of a POST. */
  readonly body?: unknown;
}
