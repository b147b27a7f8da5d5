import type { Logger } from 'pino';
import type {
  CachedImageRecord,
  LeaseEventRecord,
  NodeSpec,
  Policies,
  SchedulerConfig,
  SiteSpec,
} from '../core/index.ts';
import type { Clock } from './clock.ts';
import type { RestoreCore } from './core.ts';
import type { Retention } from './housekeeping.ts';
import type { EngineLimits } from './limits.ts';
import type { EngineMetrics } from './metrics.ts';
import type { NoticeRecord, NoticeSettings } from './notices/notice.ts';
import type { Adapter, Store } from './ports.ts';
import type { Tracing } from './tracing.ts';

export interface EngineOptions {
  readonly store: Store;
  readonly adapter: Adapter;
  /** Written to the database if it holds no site yet. */
  readonly site: { readonly name: string; readonly spec: SiteSpec };
  readonly scheduler: SchedulerConfig;
  readonly policies?: Partial<Policies>;
  /** Builds the core. Default: the scheduler, with these policies. */
  readonly restore?: RestoreCore;
  /** Default: the wall clock. */
  readonly clock?: Clock;
  readonly log?: Logger;
  readonly metrics?: EngineMetrics;
  /** Default: no tracing. */
  readonly tracing?: Tracing | null;
  readonly limits?: Partial<EngineLimits>;
  /** Kinds that are not listed are kept forever. */
  readonly retention?: Partial<Omit<Retention, 'commands'>>;
  /** Lead times of notices. Default: only where a lease specifies one. */
  readonly notices?: NoticeSettings;
  /** False: this process never writes; it serves events and forwards commands. Default: true. */
  readonly mayWrite?: boolean;
  /** Called with new committed events in order, or with null when events up to `last` are only in the store. */
  readonly onCommitted?: (events: readonly LeaseEventRecord[] | null, last: number) => void;
  /** The same for notices. */
  readonly onNotices?: (notices: readonly NoticeRecord[] | null, last: number) => void;
  /** Called with the nodes of the site when this process becomes the writer and whenever they change. */
  readonly onNodes?: (nodes: readonly NodeSpec[]) => void;
  /** The same for the images that the plan keeps on nodes for reuse. */
  readonly onCachedImages?: (images: readonly CachedImageRecord[]) => void;
  /** The engine stopped by itself: a lease failed and the configuration requires a stop in that case. */
  readonly onFatal?: (error: Error) => void;
}
