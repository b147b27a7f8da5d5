export { type ApiContext, type ApiServices, apiContext, type SiteFacts } from './context.ts';
export { defaultPageSize } from './limits.ts';
export { schema } from './schema/index.ts';
