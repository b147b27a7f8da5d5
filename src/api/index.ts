export {
  type ApiContext,
  type ApiServices,
  apiContext,
  type Committed,
  inTrace,
  type SiteFacts,
  withUseTracking,
} from './context.ts';
export {
  credentialsEnded,
  type FeedRecord,
  type FeedSelection,
  FeedStream,
  RightsChanged,
} from './feed-stream.ts';
export {
  charactersPerCost,
  defaultPageSize,
  type Entries,
  expectedEntries,
  type MachinesSize,
  maxEntries,
} from './limits.ts';
export { connectionAccepted, pace } from './read/pace.ts';
export { viewOf } from './read/view.ts';
export { schema } from './schema/index.ts';
export { isStored } from './stored-fields.ts';
