export { type ApiContext, type ApiServices, apiContext, type Committed, type SiteFacts } from './context.ts';
export { credentialsEnded, LeaseEventStream } from './lease-event-stream.ts';
export { defaultPageSize } from './limits.ts';
export { connectionAccepted, pace } from './read/pace.ts';
export { viewOf } from './read/view.ts';
export { schema } from './schema/index.ts';
