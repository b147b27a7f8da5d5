import { existsSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Policies, SchedulerConfig } from '../core/index.ts';
import { ConfigurationError } from './error.ts';

/** The methods that the default export of a policy's module must have. */
const methods = {
  admission: ['admit'],
  hostSelection: ['score'],
  preemption: ['preempts', 'score'],
} as const satisfies Record<keyof Policies, readonly string[]>;

/**
 * Loads the policies that a configuration names by the absolute path of a module, each under that path as its name.
 * Throws ConfigurationError.
 */
export async function loadPolicies(config: SchedulerConfig): Promise<Partial<Policies>> {
  const own: Record<string, Record<string, unknown>> = {};
  for (const kind of Object.keys(methods) as (keyof Policies)[]) {
    const name = config[kind];
    if (isAbsolute(name)) own[kind] = { [name]: await loadPolicy(name, methods[kind]) };
  }
  return own as Partial<Policies>;
}

async function loadPolicy(path: string, expected: readonly string[]): Promise<unknown> {
  const fail = (detail: string): never => {
    throw new ConfigurationError('INVALID_VALUE', `${path}: ${detail}`);
  };
  // The runtime's own message for this names the file that imports it.
  if (!existsSync(path)) fail('cannot be loaded as a policy: there is no such file');
  const loaded = await import(pathToFileURL(path).href).catch((error: Error) =>
    fail(`cannot be loaded as a policy: ${error.message}`),
  );
  const { default: policy } = loaded as { readonly default?: Record<string, unknown> | null };
  if (policy == null) return fail('has no default export, expected a policy');
  const missing = expected.find((method) => typeof policy[method] !== 'function');
  if (missing !== undefined) fail(`has no default export with ${missing}(), expected a policy`);
  return policy;
}
