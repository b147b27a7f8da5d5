import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import {
  bindMigrationAwareSqlAdapterFactory,
  type SqlDriverAdapter,
  type SqlMigrationAwareDriverAdapterFactory,
} from '@prisma/driver-adapter-utils';
import type { SchemaEngine } from '@prisma/schema-engine-wasm';

interface Exports {
  __wbindgen_start(): void;
}

/** The types of Node.js leave it out. */
declare const WebAssembly: {
  instantiate(code: Uint8Array, imports: object): Promise<{ readonly instance: { readonly exports: Exports } }>;
};

/** Prisma's schema engine as WebAssembly, working through `adapter`. */
export async function loadSchemaEngine(
  adapter: SqlDriverAdapter,
  datamodels?: [string, string][],
): Promise<SchemaEngine> {
  engineClass ??= instantiate();
  const factory: SqlMigrationAwareDriverAdapterFactory = {
    provider: adapter.provider,
    adapterName: adapter.adapterName,
    connect: async () => adapter,
    connectToShadowDb: async () => {
      throw new Error('The schema engine is used without a shadow database.');
    },
  };
  return (await engineClass).new({ datamodels }, () => {}, bindMigrationAwareSqlAdapterFactory(factory));
}

/** Once a process: the bindings hold one instance, and objects of an earlier one would be freed in the later. */
let engineClass: Promise<typeof SchemaEngine> | null = null;

/** Node.js does not load the package's module by itself: it is written for bundlers. */
async function instantiate(): Promise<typeof SchemaEngine> {
  const bindings = await import('@prisma/schema-engine-wasm/schema_engine_bg');
  const resolve = createRequire(import.meta.url).resolve;
  const file = resolve('@prisma/schema-engine-wasm/schema_engine_bg').replace(/\.js$/, '.wasm');
  // It leaves a timer of ten seconds behind, which should not keep a process that is done.
  const timer = (callback: () => void, milliseconds: number) => setTimeout(callback, milliseconds).unref();
  const imports = Object.entries(bindings).map(([name, binding]) => [
    name,
    name.startsWith('__wbg_setTimeout_') ? timer : (binding as unknown),
  ]);
  const { instance } = await WebAssembly.instantiate(await readFile(file), {
    './schema_engine_bg.js': Object.fromEntries(imports),
  });
  const { __wbg_set_wasm, SchemaEngine: Engine } = bindings as unknown as {
    __wbg_set_wasm(exports: Exports): void;
    SchemaEngine: typeof SchemaEngine;
  };
  __wbg_set_wasm(instance.exports);
  instance.exports.__wbindgen_start();
  return Engine;
}
