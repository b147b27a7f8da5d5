/**
 * A store in memory that behaves as a database does, and misbehaves when told to. Several stores on one
 * `MemoryDatabase` are several processes on one database.
 */
import type {
  ActionRecord,
  Instant,
  LeaseEventRecord,
  LeaseRecord,
  MaintenanceRecord,
  NodeState,
  NodeStateCause,
  NodeStateRecord,
  ProjectQuotas,
  RecurrenceRecord,
  ReservationRecord,
  SiteRecord,
  SiteSpec,
} from '../../src/core/index.ts';
import { leaseTransitions } from '../../src/core/model/lease-states.ts';
import {
  type ActionOutcome,
  type AuditRecord,
  type CommitBatch,
  type Expiring,
  type ForwardedCommand,
  type IdempotencyRecord,
  type LeaseFacts,
  type LeaseRemains,
  type NoticeRecord,
  type Store,
  type StoredSite,
  StoreError,
  type WriterTerm,
} from '../../src/engine/ports.ts';

export type StoredAction = ActionRecord & {
  state: 'PENDING' | ActionOutcome['state'];
  outcome: ActionOutcome | null;
  /** Why it failed or what it waits for. */
  message?: string | null;
};

/**
 * What happens to one commit. `before`: it fails and is not written; `after`: it is written, and the answer is lost.
 */
export type CommitFault = 'before' | 'after' | 'hang' | 'hang-after' | 'permanent';

const copy = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

/** The tables, shared by all stores on them. */
export class MemoryDatabase {
  site: { name: string; spec: SiteSpec; record: SiteRecord; createdAt: Instant } | null = null;
  epoch = 0;
  lastCommit: string | null = null;
  readonly leases = new Map<number, LeaseRecord>();
  readonly reservations = new Map<number, ReservationRecord>();
  readonly idempotencyKeys = new Map<string, IdempotencyRecord>();
  readonly actions = new Map<number, StoredAction>();
  readonly commands = new Map<string, { payload: unknown; answer: { value: unknown } | null }>();
  /** When idempotency keys and commands came here. */
  readonly writtenAt = new Map<string, Instant>();
  readonly nodeStates = new Map<number, NodeState>();
  readonly nodeCauses = new Map<number, NodeStateCause>();
  readonly maintenance = new Map<string, MaintenanceRecord>();
  readonly quotas = new Map<number, ProjectQuotas>();
  readonly recurrences = new Map<number, RecurrenceRecord>();
  quarantined: readonly number[] = [];
  events: LeaseEventRecord[] = [];
  notices: NoticeRecord[] = [];
  audit: AuditRecord[] = [];
  noticesGivenUntil: Instant | null = null;
  commits = 0;
  /** Who holds the writer's lock. */
  holder: { store: MemoryStore; lost: AbortController } | null = null;
  readonly listeners = new Map<(notice: 'events' | 'commands') => void, MemoryStore>();
  readonly answered = new EventTarget();
  /** Out of reach: every call fails as TRANSIENT, and the writer's connection is lost. */
  private unreachable = false;
  /** Added to the clock that `now` gives. */
  skew = 0;

  constructor(readonly now: () => Instant = () => Date.now()) {}

  /** What its own clock says. */
  get time(): Instant {
    return this.now() + this.skew;
  }

  get down(): boolean {
    return this.unreachable;
  }

  set down(down: boolean) {
    this.unreachable = down;
    if (down) this.dropWriter();
  }

  /** The connection that holds the lock is cut, as by a kill -9 or a network. */
  dropWriter(): void {
    const { holder } = this;
    this.holder = null;
    holder?.lost.abort();
  }

  /** `except`: the process that committed the events is not told of them. */
  notify(notice: 'events' | 'commands', except?: MemoryStore): void {
    for (const [listener, store] of [...this.listeners]) {
      if (store !== except) queueMicrotask(() => listener(notice));
    }
  }

  /** All or nothing. */
  apply(batch: CommitBatch, by: MemoryStore): void {
    this.assertWritable(batch);
    const { changes, idempotency, outcomes, answers, id } = batch;
    if (!this.site) throw new StoreError('PERMANENT', 'no site');
    if (changes.site) this.site.record = copy(changes.site);
    for (const { state: _state, cause: _cause, ...node } of changes.inventory ?? []) {
      const nodes = [...this.site.spec.nodes];
      nodes[node.number - 1] = copy(node);
      this.site.spec = { ...this.site.spec, nodes };
    }
    for (const each of [...(changes.inventory ?? []), ...changes.nodes]) this.setState(each);
    for (const each of changes.quotas ?? []) this.quotas.set(each.project, copy(each));
    for (const each of changes.maintenance) this.maintenance.set(each.name, copy(each));
    for (const each of changes.recurrences ?? []) this.recurrences.set(each.id, copy(each));
    for (const lease of changes.leases) this.leases.set(lease.id, copy(lease));
    for (const reservation of changes.reservations) this.reservations.set(reservation.id, copy(reservation));
    for (const reservation of changes.withdrawn) this.reservations.delete(reservation);
    for (const leaseId of changes.discarded ?? []) this.discard(leaseId, changes.events);
    for (const event of changes.events) this.events.push(copy(event));
    for (const record of batch.audit) this.audit.push(copy(record));
    for (const notice of batch.notices) this.notices.push(copy(notice));
    this.noticesGivenUntil = batch.noticesGivenUntil ?? this.noticesGivenUntil;
    for (const action of changes.actions)
      this.actions.set(action.id, { ...copy(action), state: 'PENDING', outcome: null });
    for (const record of idempotency) {
      const id = keyId(record);
      this.idempotencyKeys.set(id, copy(record));
      this.writtenAt.set(id, this.time);
    }
    for (const outcome of outcomes) {
      const action = this.actions.get(outcome.actionId);
      if (!action) continue;
      action.state = outcome.state;
      action.outcome = outcome.state === 'PENDING' ? null : copy(outcome);
      action.message = outcome.error;
    }
    for (const { commandId, answer } of answers) {
      const command = this.commands.get(commandId);
      if (command) command.answer = { value: copy(answer) };
      this.answered.dispatchEvent(new Event(commandId));
    }
    this.lastCommit = id;
    this.commits += 1;
    if (changes.events.length + batch.notices.length > 0) this.notify('events', by);
  }

  private discard(leaseId: number, events: readonly LeaseEventRecord[]): void {
    const lease = this.leases.get(leaseId);
    const event = events.find((each) => each.leaseId === leaseId);
    if (!lease || !event) throw new StoreError('PERMANENT', `no lease ${leaseId}`);
    this.leases.set(leaseId, { ...lease, state: 'FAILED', reason: event.reason, endedAt: event.at });
    for (const { id, ...each } of this.reservations.values())
      if (each.leaseId === leaseId && each.kind !== 'IMAGE_TRANSFER') this.reservations.delete(id);
    this.quarantined = this.quarantined.filter((each) => each !== leaseId);
  }

  private setState({ number, state, cause }: NodeStateRecord): void {
    this.nodeStates.set(number, state);
    if (cause) this.nodeCauses.set(number, copy(cause));
    else this.nodeCauses.delete(number);
  }

  /** What the constraints of a database would refuse. */
  private assertWritable({ changes, idempotency, notices }: CommitBatch): void {
    const leases = new Set([...this.leases.keys(), ...changes.leases.map(({ id }) => id)]);
    const named = [...changes.reservations, ...changes.events].map(({ leaseId }) => leaseId);
    const unknown = named.find((leaseId) => !leases.has(leaseId));
    if (unknown !== undefined) throw new StoreError('PERMANENT', `no lease ${unknown}`);
    const changed = new Set(changes.leases.map(({ id }) => id));
    const others = [...this.leases.values()].filter(({ id }) => !changed.has(id));
    assertUnique(
      'occurrence',
      [...others, ...changes.leases].flatMap(({ occurrenceOf }) => occurrenceOf ?? []),
      ({ recurrence, index }) => `${recurrence}/${index}`,
    );
    assertUnique('event', [...this.events, ...changes.events], ({ sequence }) => sequence);
    assertUnique('notice', [...this.notices, ...notices], ({ sequence }) => sequence);
    assertUnique('action', [...this.actions.values(), ...changes.actions], ({ id }) => id);
    assertUnique('key', [...this.idempotencyKeys.values(), ...idempotency], keyId);
  }
}

const keyId = ({ principal, key }: { readonly principal: string; readonly key: string }): string =>
  JSON.stringify([principal, key]);

function assertUnique<T>(what: string, rows: readonly T[], idOf: (row: T) => unknown): void {
  if (new Set(rows.map(idOf)).size < rows.length) throw new StoreError('PERMANENT', `a duplicate ${what}`);
}

/** A command that no writer took within this time is not carried out any more, in milliseconds. */
const commandLifetime = 60_000;

export class MemoryStore implements Store {
  /** Decides what happens to a commit. */
  commitFault: (batch: CommitBatch) => CommitFault | null = () => null;
  /** Awaited before each commit is applied: holds it up. */
  beforeCommit: (batch: CommitBatch) => Promise<void> = async () => {};
  /** Called after a commit was applied and before the engine hears of it. */
  afterCommit: (batch: CommitBatch) => Promise<void> = async () => {};
  /** Awaited before the site is read. */
  beforeLoad: () => Promise<void> = async () => {};
  /** Awaited before the answer to a forwarded command is given to its caller. */
  beforeAnswer: () => Promise<void> = async () => {};
  /** Awaited before events are read. */
  beforeEvents: () => Promise<void> = async () => {};
  /** Makes any other call fail. */
  failing: (call: string) => StoreError | null = () => null;
  /** Notices reach this process. */
  listens = true;
  readonly calls: string[] = [];
  private committing = false;
  private readonly closing = new AbortController();

  constructor(readonly database: MemoryDatabase) {}

  async acquireWriter(): Promise<WriterTerm | null> {
    await this.reach('acquireWriter');
    const { database } = this;
    if (database.holder && database.holder.store !== this) return null;
    database.holder?.lost.abort();
    const lost = new AbortController();
    database.holder = { store: this, lost };
    database.epoch += 1;
    return {
      epoch: database.epoch,
      lastCommit: database.lastCommit,
      lost: lost.signal,
      release: async () => {
        if (database.holder?.lost === lost) database.holder = null;
        lost.abort();
      },
    };
  }

  async load(): Promise<StoredSite | null> {
    await this.reach('load');
    await this.beforeLoad();
    const { database } = this;
    if (!database.site) return null;
    const { name, spec, record, createdAt } = database.site;
    const quotas = [...database.quotas.values()]
      .filter((each) => each.quotas.length > 0)
      .sort((a, b) => a.project - b.project);
    return copy({
      name,
      spec,
      createdAt,
      lastCommit: database.lastCommit,
      snapshot: {
        site: record,
        nodes: [...database.nodeStates]
          .map(([number, state]) => ({ number, state, cause: database.nodeCauses.get(number) }))
          .filter(({ state, cause }) => state !== 'UP' || cause !== undefined)
          .sort((a, b) => a.number - b.number),
        ...(quotas.length > 0 && { quotas }),
        maintenance: [...database.maintenance.values()]
          .filter(({ start, end }) => start < end && end > (database.events.at(-1)?.at ?? Number.NEGATIVE_INFINITY))
          .sort((a, b) => a.start - b.start || (a.name < b.name ? -1 : 1)),
        recurrences: [...database.recurrences.values()].sort((a, b) => a.id - b.id),
        leases: [...database.leases.values()]
          .filter((lease) => leaseTransitions[lease.state].length > 0)
          .sort((a, b) => a.id - b.id),
        reservations: [...database.reservations.values()]
          .filter((each) => each.state === 'SCHEDULED' || each.state === 'ACTIVE')
          .sort((a, b) => a.id - b.id),
      },
      pendingActions: [...database.actions.values()]
        .filter((action) => action.state === 'PENDING')
        .map(({ state: _state, outcome: _outcome, message: _message, ...action }) => action),
      failedRemovals: [...database.actions.values()]
        .filter(({ kind, message, state }) => state === 'PENDING' && kind === 'DESTROY' && (message ?? null) !== null)
        .map(({ id }) => id),
      notices: { last: database.notices.at(-1)?.sequence ?? 0, givenUntil: database.noticesGivenUntil },
      unreadable: [],
    });
  }

  async createSite(name: string, spec: SiteSpec, writer: WriterTerm): Promise<void> {
    await this.reach('createSite');
    const { database } = this;
    if (writer.epoch !== database.epoch) throw new StoreError('FENCED', 'epoch');
    if (database.site) throw new StoreError('PERMANENT', 'the database holds a site already');
    const record: SiteRecord = {
      lastLeaseId: 0,
      lastReservationId: 0,
      lastEventSequence: 0,
      lastActionId: 0,
      lastRecurrenceId: 0,
      lastRank: 0,
      cachedImages: [],
    };
    database.site = { name, spec: copy(spec), record, createdAt: database.now() };
  }

  async commit(batch: CommitBatch, writer: WriterTerm): Promise<void> {
    if (this.committing) throw new Error('two commits at the same time');
    this.committing = true;
    try {
      await this.reach('commit');
      await this.beforeCommit(batch);
      const { database } = this;
      if (database.down) throw new StoreError('TRANSIENT', 'the connection was cut');
      const fault = this.commitFault(batch);
      if (fault === 'before') throw new StoreError('TRANSIENT', 'the connection was cut before COMMIT');
      if (fault === 'permanent') throw new StoreError('PERMANENT', 'a constraint was violated');
      if (fault === 'hang') return await this.hang();
      if (writer.epoch !== database.epoch) throw new StoreError('FENCED', `epoch ${database.epoch}`);
      if (batch.id !== database.lastCommit) {
        if (batch.previous !== database.lastCommit) throw new StoreError('FENCED', 'planned upon older state');
        database.apply(copy(batch), this);
      }
      if (fault === 'hang-after') return await this.hang();
      await this.afterCommit(batch);
      if (fault === 'after') throw new StoreError('TRANSIENT', 'the connection was cut during COMMIT');
    } finally {
      this.committing = false;
    }
  }

  async confirm(previous: string | null, writer: WriterTerm): Promise<void> {
    await this.reach('confirm');
    const { database } = this;
    if (writer.epoch !== database.epoch || previous !== database.lastCommit)
      throw new StoreError('FENCED', `epoch ${database.epoch}`);
  }

  async markQuarantined(leaseNumbers: readonly number[], writer: WriterTerm): Promise<void> {
    await this.reach('markQuarantined');
    if (writer.epoch === this.database.epoch) this.database.quarantined = [...leaseNumbers];
  }

  async leaseFacts(leaseNumber: number): Promise<LeaseFacts | null> {
    await this.reach('leaseFacts');
    const lease = this.database.leases.get(leaseNumber);
    if (!lease) return null;
    const { name, owner, project } = lease;
    return { name, owner, project, start: null, end: null };
  }

  async remains(leaseNumbers: readonly number[]): Promise<readonly LeaseRemains[]> {
    await this.reach('remains');
    return leaseNumbers.flatMap((number) => {
      const lease = this.database.leases.get(number);
      if (!lease || lease.endedAt !== null) return [];
      const machines = lease.machines.flatMap((capacity, position) => {
        const machine = position + 1;
        const node = lease.mapping?.[machine] ?? lease.memoryAt[machine];
        return node === undefined ? [] : [{ machine, node, capacity }];
      });
      return [{ leaseId: number, state: lease.state, project: lease.project, machines }];
    });
  }

  async idempotency(keys: readonly { principal: string; key: string }[]): Promise<readonly IdempotencyRecord[]> {
    await this.reach('idempotency');
    return keys.flatMap((each) => this.database.idempotencyKeys.get(keyId(each)) ?? []);
  }

  async events(after: number, limit: number, leaseNumber?: number | null): Promise<readonly LeaseEventRecord[]> {
    await this.beforeEvents();
    await this.reach('events');
    const matches = this.database.events.filter(
      (event) =>
        event.sequence > after && (leaseNumber === undefined || leaseNumber === null || event.leaseId === leaseNumber),
    );
    return copy(matches.slice(0, limit));
  }

  async eventRange(): Promise<{ oldest: number; newest: number } | null> {
    await this.reach('eventRange');
    const oldest = this.database.events[0];
    const newest = this.database.events.at(-1);
    return oldest && newest ? { oldest: oldest.sequence, newest: newest.sequence } : null;
  }

  async deleteEventsBefore(before: Instant, limit: number): Promise<number> {
    await this.reach('deleteEventsBefore');
    const { events } = this.database;
    // The newest always stays.
    const max = Math.min(limit, events.length - 1);
    let count = 0;
    while (count < max && (events[count] as LeaseEventRecord).at < before) count += 1;
    this.database.events = events.slice(count);
    return count;
  }

  async notices(after: number, limit: number): Promise<readonly NoticeRecord[]> {
    await this.reach('notices');
    return copy(this.database.notices.filter(({ sequence }) => sequence > after).slice(0, limit));
  }

  async noticeRange(): Promise<{ oldest: number; newest: number } | null> {
    await this.reach('noticeRange');
    const { notices } = this.database;
    const [oldest, newest] = [notices[0], notices.at(-1)];
    return oldest && newest ? { oldest: oldest.sequence, newest: newest.sequence } : null;
  }

  async deleteNoticesBefore(before: Instant, limit: number): Promise<number> {
    await this.reach('deleteNoticesBefore');
    const { notices } = this.database;
    const kept = notices.findIndex(({ at }, index) => at >= before || index === notices.length - 1);
    const count = Math.max(0, Math.min(limit, kept));
    this.database.notices = notices.slice(count);
    return count;
  }

  async deleteBefore(what: Expiring, before: Instant, limit: number): Promise<number> {
    await this.reach(`deleteBefore ${what}`);
    const { database } = this;
    if (what === 'leases') return this.deleteLeasesBefore(before, limit);
    const table: Map<unknown, unknown> = database[what];
    const at = (id: unknown): Instant | undefined =>
      what === 'actions'
        ? (database.actions.get(Number(id))?.outcome?.finishedAt ?? undefined)
        : database.writtenAt.get(String(id));
    const old = [...table.keys()].filter((id) => (at(id) ?? Number.POSITIVE_INFINITY) < before).slice(0, limit);
    for (const id of old) table.delete(id);
    return old.length;
  }

  private deleteLeasesBefore(before: Instant, limit: number): number {
    const { events, leases } = this.database;
    const end = Math.min(before, events[0]?.at ?? Number.NEGATIVE_INFINITY);
    const old = [...leases.values()]
      .filter(({ endedAt }) => endedAt !== null && endedAt < end)
      .sort((a, b) => (a.endedAt ?? 0) - (b.endedAt ?? 0))
      .slice(0, limit);
    for (const { id } of old) leases.delete(id);
    return old.length;
  }

  async forward(payload: unknown, signal: AbortSignal): Promise<unknown> {
    signal.throwIfAborted();
    await this.reach('forward');
    signal.throwIfAborted();
    const { database } = this;
    const id = crypto.randomUUID();
    let forget = (): void => {};
    const answer = new Promise<unknown>((resolve, reject) => {
      const collect = (): void => {
        resolve(database.commands.get(id)?.answer?.value);
        database.commands.delete(id);
      };
      const withdraw = (): void => {
        if (database.commands.get(id)?.answer === null) database.commands.delete(id);
        reject(signal.reason);
      };
      const close = (): void => reject(new StoreError('TRANSIENT', 'the store is closing'));
      database.answered.addEventListener(id, collect, { once: true });
      signal.addEventListener('abort', withdraw, { once: true });
      this.closing.signal.addEventListener('abort', close, { once: true });
      forget = () => {
        database.answered.removeEventListener(id, collect);
        signal.removeEventListener('abort', withdraw);
        this.closing.signal.removeEventListener('abort', close);
      };
    });
    database.commands.set(id, { payload: copy(payload), answer: null });
    database.writtenAt.set(id, database.time);
    database.notify('commands');
    return answer.finally(forget).then(async (given) => {
      await this.beforeAnswer();
      return given;
    });
  }

  async forwarded(limit: number): Promise<readonly ForwardedCommand[]> {
    await this.reach('forwarded');
    const { commands, time, writtenAt } = this.database;
    return [...commands]
      .filter(([id, { answer }]) => answer === null && (writtenAt.get(id) ?? 0) > time - commandLifetime)
      .slice(0, limit)
      .map(([id, command]) => ({ id, payload: copy(command.payload) }));
  }

  async listen(onNotice: (notice: 'events' | 'commands') => void): Promise<AsyncDisposable> {
    await this.reach('listen');
    const { listeners } = this.database;
    const listener = (notice: 'events' | 'commands'): void => {
      if (this.listens) onNotice(notice);
    };
    listeners.set(listener, this);
    return {
      [Symbol.asyncDispose]: async () => {
        listeners.delete(listener);
      },
    };
  }

  async clock(): Promise<Instant> {
    await this.reach('clock');
    return this.database.time;
  }

  async close(): Promise<void> {
    this.closing.abort();
    if (this.database.holder?.store === this) this.database.dropWriter();
  }

  /** The process dies: its lock goes, nothing else happens. */
  kill(): void {
    if (this.database.holder?.store === this) this.database.dropWriter();
    this.failing = () => new StoreError('TRANSIENT', 'this process is dead');
  }

  private async reach(call: string): Promise<void> {
    this.calls.push(call);
    // An answer never comes within the same tick.
    await new Promise<void>((resolve) => setImmediate(resolve));
    const failure = this.database.down ? new StoreError('TRANSIENT', 'the database is down') : this.failing(call);
    if (failure) throw failure;
  }

  private hang(): Promise<void> {
    this.committing = false;
    return new Promise(() => {});
  }
}
