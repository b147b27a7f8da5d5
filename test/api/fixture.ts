import type { Amounts, Instant, LeaseEventRecord, LeaseRequest } from '../../src/core/index.ts';
import { auditRecordOf } from '../../src/engine/audit.ts';
import {
  type AuditRecord,
  CommandError,
  type CommandInput,
  type CommandName,
  type CommandOptions,
  type CommandResult,
  type Feed,
  type HostFacts,
  type LeaseService,
  type NoticeRecord,
} from '../../src/engine/ports.ts';
import { createIdentity, type Role } from '../../src/identity/index.ts';
import { Webhooks } from '../../src/notices/index.ts';
import { type App, type AppOptions, createApp } from '../../src/server/app.ts';
import { isOutage } from '../../src/store/errors.ts';
import { silentLog } from '../../src/store/log.ts';
import { readMigrations } from '../../src/store/migrate.ts';
import { type Prisma, PrismaClient } from '../../src/store/prisma/client.ts';
import { openServer } from '../../src/store/server.ts';
import { readVersion } from '../../src/store/version.ts';
import { absentHost } from '../support/absent-hosts.ts';
import { migratedTemplate, sharedPostgres } from '../support/shared-postgres.ts';

export const token = 'a-token-for-tests';

export const second = 1_000;
export const minute = 60 * second;
export const hour = 60 * minute;
/** What the clock of the site shows. */
export const now: Instant = Date.UTC(2030, 0, 31, 8);

/** What a test publishes, as a feed. */
class FakeFeed<R extends { readonly sequence: number; readonly leaseId: number | null }> implements Feed<R> {
  private readonly log: R[] = [];
  private readonly waiting = new Set<() => void>();

  publish(...records: readonly R[]): void {
    this.log.push(...records);
    for (const wake of this.waiting) wake();
  }

  get last(): number {
    return this.log.at(-1)?.sequence ?? 0;
  }

  async *subscribe({ after, leaseNumber, signal }: Parameters<LeaseService['events']>[0]) {
    signal?.addEventListener('abort', () => {
      for (const wake of this.waiting) wake();
    });
    let next = typeof after === 'number' ? 0 : this.log.length;
    while (!signal?.aborted) {
      const record = this.log[next];
      if (record === undefined) {
        await new Promise<void>((resolve) => {
          this.waiting.add(resolve);
        });
        continue;
      }
      next += 1;
      if (record.sequence > (after ?? 0) && (leaseNumber ?? record.leaseId) === record.leaseId) yield record;
    }
  }

  async page({ after, leaseNumber, limit }: Parameters<Feed<R>['page']>[0]) {
    const events = this.log
      .filter(({ sequence, leaseId }) => sequence > after && (leaseNumber ?? leaseId) === leaseId)
      .slice(0, limit);
    const last = events.at(-1)?.sequence ?? after;
    return { events, upTo: events.length < limit ? Math.max(last, this.last) : last };
  }
}

/** What the API needs of an engine, without one: it notes what is asked, and answers as it is told. */
export class FakeLeases implements LeaseService {
  readonly requests: { request: LeaseRequest; key: string | null }[] = [];
  readonly cancelled: number[] = [];
  /** Commands of other kinds, and what each is answered. */
  readonly submitted: { kind: CommandName; input: unknown }[] = [];
  result: (kind: CommandName) => Promise<unknown> = async (kind) =>
    kind === 'upcomingOccurrences' || kind === 'quotas'
      ? []
      : {
          displaced: [],
          earliestStart: null,
          windows: [],
          continueFrom: null,
          code: 'RESOURCES',
          blockedBy: [2],
          recurrence: 1,
          skipped: [],
        };
  readonly hostQuestions: (readonly number[])[] = [];
  /** What is known of the host of a node. */
  hostOf: (node: number) => HostFacts = absentHost;
  /** How many event streams are open. */
  streams = 0;
  answer: (request: LeaseRequest) => Promise<number> = async () => {
    throw new CommandError('UNAVAILABLE', 'no answer was prepared', [], true);
  };
  cancel: (leaseNumber: number) => Promise<void> = async () => {};
  /** As the engine does with the commit. */
  audit: (record: AuditRecord) => Promise<unknown> = async () => {};
  problems: string[] = [];
  failure: Error | null = null;
  private readonly log = new FakeFeed<LeaseEventRecord>();
  readonly notices = new FakeFeed<NoticeRecord>();

  async submit<K extends CommandName>(
    kind: K,
    input: CommandInput<K>,
    options: CommandOptions,
  ): Promise<CommandResult<K>> {
    const result = await this.carryOut(kind, input, options);
    const { audit, principal } = options;
    const command = { kind, input, principal: principal.name, idempotencyKey: null, ...(audit && { audit }) };
    const record = auditRecordOf(command, { result });
    if (record) await this.audit(record);
    return result;
  }

  private async carryOut<K extends CommandName>(
    kind: K,
    input: CommandInput<K>,
    options: CommandOptions,
  ): Promise<CommandResult<K>> {
    let leaseNumber: number;
    if (kind === 'request') {
      const request = input as CommandInput<'request'>;
      this.requests.push({ request, key: options.idempotencyKey ?? null });
      leaseNumber = await this.answer(request);
    } else if (kind === 'cancel') {
      ({ leaseNumber } = input as CommandInput<'cancel'>);
      this.cancelled.push(leaseNumber);
      await this.cancel(leaseNumber);
    } else if (kind === 'hostFacts') {
      const { nodes } = input as CommandInput<'hostFacts'>;
      this.hostQuestions.push(nodes);
      return nodes.map(this.hostOf) as CommandResult<K>;
    } else {
      this.submitted.push({ kind, input });
      return (await this.result(kind)) as CommandResult<K>;
    }
    return { leaseNumber } as CommandResult<K>;
  }

  publish(...events: readonly LeaseEventRecord[]): void {
    this.log.publish(...events);
  }

  async *events(options: Parameters<LeaseService['events']>[0]) {
    this.streams += 1;
    try {
      if (this.failure) throw this.failure;
      yield* this.log.subscribe(options);
    } finally {
      this.streams -= 1;
    }
  }

  lastEvent(): number {
    return this.log.last;
  }

  async eventsAfter({ leaseNumber = null, ...request }: Parameters<LeaseService['eventsAfter']>[0]) {
    if (this.failure) throw this.failure;
    return this.log.page({ leaseNumber, ...request });
  }

  now = () => now;
  status = () => ({ role: 'writer' as const, problems: this.problems, epoch: 1 });
}

/** Webhooks that may call this machine. */
export function webhooksOn(prisma: PrismaClient): Webhooks {
  return new Webhooks(prisma, { allowedNetworks: ['127.0.0.1'], allowHttp: true });
}

export interface Answer {
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers of any shape
  readonly data?: any;
  readonly errors?: readonly { message: string; path?: unknown; extensions?: Record<string, unknown> }[];
}

export interface Api {
  readonly app: App;
  readonly prisma: PrismaClient;
  readonly leases: FakeLeases;
  post(query: string, variables?: Record<string, unknown>): Promise<Response>;
  /** The answer to an operation. */
  ask(query: string, variables?: Record<string, unknown>): Promise<Answer>;
  /** The same, and how many SQL statements it took. */
  count(query: string, bearer?: string): Promise<{ readonly answer: Answer; readonly statements: readonly string[] }>;
  /** Resolves when the audit records of refused mutations, for which no answer waits, have been written. */
  auditWritten(): Promise<void>;
}

export const graphqlRequest = (query: string, variables?: Record<string, unknown>): Request =>
  new Request('http://localhost/graphql', {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json',
      authorization: `Bearer ${token}`,
    },
    body: JSON.stringify({ query, variables }),
  });

export function apiOn(prisma: PrismaClient, options: Partial<AppOptions> = {}, statements: string[] = []): Api {
  const leases = new FakeLeases();
  leases.audit = ({ role, ...record }) => prisma.auditEntry.create({ data: { ...record, role: role as Role } });
  const identity = createIdentity({ prisma, adminToken: token });
  const app = createApp({
    isOutage,
    services: {
      prisma,
      leases,
      site: { name: 'test', resourceTypes: ['CPU', 'Memory'], clockSpeed: 1, acceptsKnownDurations: false },
      identity,
      webhooks: webhooksOn(prisma),
    },
    ...options,
  });
  const post = (query: string, variables?: Record<string, unknown>) => app.fetch(graphqlRequest(query, variables));
  const ask = async (query: string, variables?: Record<string, unknown>): Promise<Answer> =>
    (await (await post(query, variables)).json()) as Answer;
  return {
    app,
    prisma,
    leases,
    post,
    ask,
    count: async (query, bearer = token) => {
      const request = graphqlRequest(query);
      request.headers.set('authorization', `Bearer ${bearer}`);
      statements.length = 0;
      const answer = (await (await app.fetch(request)).json()) as Answer;
      return { answer, statements: [...statements] };
    },
    auditWritten: () => identity.audit.flush(),
  };
}

/** An API on a database of its own, whose statements are counted. */
export async function apiOnNewDatabase(options: Partial<AppOptions> = {}): Promise<Api & AsyncDisposable> {
  const server = await sharedPostgres();
  const database = await openServer(server.url(await server.createDatabase(migratedTemplate)), silentLog);
  const prisma = new PrismaClient({
    adapter: database.prismaAdapter,
    log: [{ emit: 'event', level: 'query' }],
  });
  const statements: string[] = [];
  prisma.$on('query', ({ query }) => {
    statements.push(query);
  });
  return {
    ...apiOn(prisma, { version: () => readVersion(database), ...options }, statements),
    [Symbol.asyncDispose]: async () => {
      await prisma.$disconnect();
      await database.close();
    },
  };
}

// ---------------------------------------------------------------- rows

export const lease = (
  number: number,
  fields: Partial<Prisma.LeaseCreateManyInput> = {},
): Prisma.LeaseCreateManyInput => ({
  number,
  type: 'BEST_EFFORT',
  state: 'DONE',
  preemptible: true,
  submittedAt: new Date(now - 100 * hour + number * minute),
  originalDuration: hour,
  duration: hour,
  ...fields,
});

export interface ReservationRow {
  readonly number: number;
  readonly lease: number;
  readonly start: Instant;
  readonly end: Instant;
  readonly kind?: Prisma.ReservationCreateManyInput['kind'];
  readonly state?: Prisma.ReservationCreateManyInput['state'];
  /** Node -> what it holds there. */
  readonly amounts?: Readonly<Record<number, Amounts>>;
  readonly plan?: Prisma.InputJsonObject;
}

export async function createReservations(prisma: PrismaClient, rows: readonly ReservationRow[]): Promise<void> {
  await prisma.reservation.createMany({
    data: rows.map(({ number, lease, start, end, kind = 'VM', state = 'DONE', plan = {} }) => ({
      number,
      leaseNumber: lease,
      kind,
      state,
      start: new Date(start),
      end: new Date(end),
      plan,
    })),
  });
  await prisma.reservationNode.createMany({
    data: rows.flatMap(({ number, start, end, amounts = {} }) =>
      Object.entries(amounts).map(([node, held]) => ({
        reservationNumber: number,
        nodeNumber: Number(node),
        amounts: held as Prisma.InputJsonObject,
        start: new Date(start),
        end: new Date(end),
      })),
    ),
  });
  // What the writer adds when it finishes a reservation: made anew by the statement of the migration.
  const migrations = await readMigrations();
  const sql = migrations.find(({ name }) => name === '0008_windows')?.sql ?? '';
  await prisma.utilizationHour.deleteMany();
  await prisma.$executeRawUnsafe(/^INSERT INTO "utilization_hours"[^;]*;/m.exec(sql)?.[0] ?? '');
}

export const createNodes = (prisma: PrismaClient, count: number, capacity: Amounts = { CPU: 400, Memory: 8192 }) =>
  prisma.computeNode.createMany({
    data: Array.from({ length: count }, (_, index) => ({
      number: index + 1,
      hostname: `node-${index + 1}`,
      capacity: capacity as Prisma.InputJsonObject,
    })),
  });
