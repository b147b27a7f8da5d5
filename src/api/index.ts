export { type ApiContext, type ApiServices, apiContext, type SiteFacts } from './context.ts';
export { LeaseEventStream } from './lease-event-stream.ts';
export { defaultPageSize } from './limits.ts';
export { viewOf } from './read/view.ts';
export { schema } from './schema/index.ts';
