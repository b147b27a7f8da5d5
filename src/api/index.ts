export { usualPage } from './connection.ts';
export { type ApiContext, type ApiServices, apiContext, type SiteFacts } from './context.ts';
export { schema } from './schema.ts';
