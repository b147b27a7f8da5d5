export { type App, type AppOptions, createApp } from './app.ts';
export { findConsole } from './http/console.ts';
export { ListenError, type Listening, listen } from './http/listen.ts';
