/** How hosts are driven (docs/adapters.md). */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import * as z from 'zod';
import { ConfigurationError } from './error.ts';
import { defined, name, share, timer } from './values.ts';

const text = z.string().min(1);
const operations = ['prepare', 'start', 'shutdown', 'suspend', 'resume', 'migrate', 'destroy'] as const;
const queries = ['inspect', 'list'] as const;

const forEach = <K extends string, T extends z.ZodType>(keys: readonly K[], value: T) =>
  z.partialRecord(z.enum(keys), value);

const positiveTimer = () => timer.refine((millis) => millis > 0, 'expected more than 0');

/** Which nodes it drives: those that fit everything that is said. */
const nodes = () =>
  z
    .strictObject({ hostnames: z.array(text).min(1).optional(), labels: z.record(name, name).optional() })
    .transform(defined)
    .optional();

/** A fixed time, or one between two. */
const delay = () =>
  z.union([timer, z.tuple([timer, timer]).refine(([min, max]) => min <= max, 'expected the shorter time first')]);

const simulated = () =>
  z.strictObject({
    kind: z.literal('simulated').default('simulated'),
    /** How long actions take, in real time. */
    delays: z
      .strictObject(
        Object.fromEntries(operations.map((each) => [each, delay()])) as Record<
          (typeof operations)[number],
          ReturnType<typeof delay>
        >,
      )
      .partial()
      .transform(defined)
      .optional(),
    failureProbability: share.optional(),
    stuckProbability: share.optional(),
    seed: z.number().int().optional(),
    stateFile: text.optional(),
    nodes: nodes(),
  });

const dryRun = () => z.strictObject({ kind: z.literal('dry-run'), nodes: nodes() });

const command = () =>
  z
    .strictObject({
      kind: z.literal('command'),
      nodes: nodes(),
      /** For every operation; it is told which as its first argument. */
      program: text.optional(),
      /** By operation. */
      programs: forEach([...operations, ...queries], text).default({}),
      timeLimit: positiveTimer().default(60_000),
      timeLimits: forEach([...operations, ...queries], positiveTimer()).default({}),
      environment: z
        .record(z.string().regex(/^[A-Za-z_]\w*$/, 'expected the name of a variable'), z.string())
        .default({}),
    })
    .superRefine(({ program, programs }, context) => {
      const missing = [...operations, 'inspect' as const].filter((each) => !(program ?? programs[each]));
      if (missing.length > 0)
        context.addIssue({
          code: 'custom',
          path: ['programs'],
          message: `expected a program for ${missing.join(', ')}`,
        });
    });

/** Of the names of machines on hosts. */
const prefix = () =>
  z
    .string()
    .regex(/^[A-Za-z][A-Za-z0-9_.-]{0,60}$/, 'expected a word of letters, digits, "_", "." and "-"')
    .default('leasegraph');

const libvirtNode = () => ({
  uri: text,
  directory: z.string().startsWith('/', 'expected an absolute path on the host'),
  via: z.array(text).optional(),
  copyHost: text.optional(),
  migrateUri: text.optional(),
});

const libvirt = () =>
  z.strictObject({
    kind: z.literal('libvirt'),
    nodes: nodes(),
    ...libvirtNode(),
    uri: libvirtNode().uri.default('qemu:///system'),
    directory: libvirtNode().directory.default('/var/lib/leasegraph'),
    /** Exceptions, by hostname. */
    hosts: z.record(text, z.strictObject(libvirtNode()).partial().transform(defined)).default({}),
    namePrefix: prefix(),
    template: text.optional(),
    domainType: z.string().regex(/^\w+$/, 'expected kvm, qemu or test').optional(),
    network: text.nullable().default(null),
    shutdownGrace: timer.default(60_000),
    timeLimit: positiveTimer().default(15 * 60_000),
    liveMigration: z.boolean().default(false),
    images: z
      .strictObject({
        repository: text,
        format: z.enum(['qcow2', 'raw']).default('qcow2'),
        cacheSizeMb: z.number().int().min(0).nullable().default(null),
      })
      .optional(),
    cloudInit: z.strictObject({ userData: text }).optional(),
  });

const opennebula = () =>
  z.strictObject({
    kind: z.literal('opennebula'),
    nodes: nodes(),
    endpoint: z.url({ protocol: /^https?$/, error: 'expected a URL such as http://frontend:2633/RPC2' }),
    /** A file with `user:password`. */
    sessionFile: text,
    namePrefix: prefix(),
    template: text.optional(),
    timeLimit: positiveTimer().default(30_000),
    shutdownGrace: timer.default(60_000),
    pollInterval: positiveTimer().default(1_000),
    hostRefresh: timer.default(60_000),
  });

const ownModule = () =>
  z.strictObject({
    kind: z.literal('module'),
    nodes: nodes(),
    path: text,
    options: z.unknown().optional(),
  });

const kinds = () => [simulated(), dryRun(), command(), libvirt(), opennebula(), ownModule()] as const;
const error = 'expected simulated, dry-run, command, libvirt, opennebula or module';

export const adapter = () => z.discriminatedUnion('kind', kinds(), { error });

export type AdapterFile = z.output<ReturnType<typeof adapter>>;

const chosen = (choice: z.output<ReturnType<typeof nodes>>) => (choice === undefined ? {} : { nodes: choice });

/** What the server makes of it: paths are absolute, and what was not given is left out. */
export function resolvedAdapter(given: AdapterFile, folder: string) {
  const from = (path: string): string => resolve(folder, path);
  switch (given.kind) {
    case 'simulated': {
      const { kind, stateFile, nodes, ...options } = given;
      return {
        kind,
        ...chosen(nodes),
        ...defined(options),
        ...(stateFile !== undefined && { stateFile: from(stateFile) }),
      };
    }
    case 'dry-run':
      return { kind: given.kind, ...chosen(given.nodes) };
    case 'command': {
      const { nodes, program, programs, ...options } = given;
      const all = [...operations, ...queries].flatMap((each): [string, string][] => {
        const path = programs[each] ?? program;
        return path === undefined ? [] : [[each, from(path)]];
      });
      return { ...options, ...chosen(nodes), programs: Object.fromEntries(all) };
    }
    case 'libvirt': {
      const { cloudInit, copyHost, images, migrateUri, nodes, template, via, ...options } = given;
      // A folder of this machine, or `host:folder`.
      const isRemote = /^[^/.]+:/.test(images?.repository ?? '');
      return {
        ...options,
        ...chosen(nodes),
        ...defined({ copyHost, migrateUri, via }),
        domainType: options.domainType ?? (/^test[:+]/.test(options.uri) ? 'test' : 'kvm'),
        template: template === undefined ? null : from(template),
        images: images ? { ...images, repository: isRemote ? images.repository : from(images.repository) } : null,
        cloudInit: cloudInit ? { userData: from(cloudInit.userData) } : null,
      };
    }
    case 'opennebula': {
      const { nodes, sessionFile, template, ...options } = given;
      const session = readText(from(sessionFile)).trim();
      return {
        ...options,
        ...chosen(nodes),
        session,
        template: template === undefined ? '' : readText(from(template)),
      };
    }
    case 'module':
      return { kind: given.kind, ...chosen(given.nodes), path: from(given.path), options: given.options };
  }
}

export type ConfiguredAdapter = ReturnType<typeof resolvedAdapter>;

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new ConfigurationError('FILE_UNREADABLE', `${path}: cannot be read: ${(error as Error).message}`);
  }
}
