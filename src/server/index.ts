export { type App, type AppOptions, createApp } from './app.ts';
export { ManifestError } from './graphql/persisted-documents.ts';
export { ListenError, type Listening, listen } from './http/listen.ts';
