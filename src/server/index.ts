export { type App, type AppOptions, createApp } from './app.ts';
export { ListenError, type Listening, listen } from './http/listen.ts';
