import { listen } from '../../src/server/http/listen.ts';
import { type Api, apiOnNewDatabase, token } from '../api/fixture.ts';

/** The API on a database of its own, over HTTP, and the options with which commands reach it. */
export async function servedApi(): Promise<Api & AsyncDisposable & { readonly server: readonly string[] }> {
  const api = await apiOnNewDatabase();
  const listening = await listen('127.0.0.1', 0);
  listening.serve(api.app);
  return {
    ...api,
    server: ['--server', listening.url, '--token', token],
    [Symbol.asyncDispose]: async () => {
      await listening.close(1_000);
      await api[Symbol.asyncDispose]();
    },
  };
}
