/** Custom adapters: modules named in the configuration. */
import { existsSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import type { Logger } from 'pino';
import type { Adapter, HostSite } from '../engine/ports.ts';

export interface ModuleOptions {
  /** Absolute. */
  readonly path: string;
  /** Handed to the module as it is. */
  readonly options?: unknown;
}

/** The argument of a module's default export. */
export interface ModuleContext {
  readonly site: HostSite;
  readonly log: Logger;
  readonly options: unknown;
}

/** The default export of a module. */
export type AdapterFactory = (context: ModuleContext) => Adapter | Promise<Adapter>;

/** Thrown for a module that is not a valid adapter. */
export class AdapterError extends Error {
  override readonly name = 'AdapterError';
}

const methods = [
  'prepare',
  'start',
  'shutdown',
  'suspend',
  'resume',
  'migrate',
  'destroy',
  'inspect',
  'forget',
  'close',
] as const satisfies readonly (keyof Adapter)[];

/** Throws AdapterError. */
export async function loadAdapter(
  { path, options = null }: ModuleOptions,
  { site, log }: { readonly site: HostSite; readonly log: Logger },
): Promise<Adapter> {
  const fail = (detail: string): never => {
    throw new AdapterError(`${path}: ${detail}`);
  };
  // The message of the runtime would name the importing file.
  if (!existsSync(path)) fail('the adapter cannot be loaded: there is no such file');
  const loaded = (await import(pathToFileURL(path).href).catch((error: Error) =>
    fail(`the adapter cannot be loaded: ${error.message}`),
  )) as { readonly default?: unknown };
  if (typeof loaded.default !== 'function') return fail('the default export is not a function that makes an adapter');
  const adapter = await (loaded.default as AdapterFactory)({ site, log, options });
  const missing = methods.find((method) => typeof adapter?.[method] !== 'function');
  if (missing !== undefined) fail(`the adapter has no ${missing}()`);
  if (typeof adapter.name !== 'string' || adapter.name === '') fail('the adapter has no name');
  if (typeof adapter.remembers !== 'boolean') fail('the adapter does not say whether it remembers');
  return adapter;
}
