import { SchedulerError } from '../errors.ts';
import type { ResourceSpace } from '../model/capacity.ts';
import type { Lease } from '../model/lease.ts';
import type { ProjectQuotas, Quota, QuotaState } from '../model/quotas.ts';
import type { Instant, Millis, StateReason } from '../model/records.ts';
import { formatDuration, HOUR } from '../model/time.ts';
import { PeriodLedger, ProjectLedger, type ProjectLedgers } from '../slot-table/project-ledgers.ts';

export const quotaExceeded = 'QUOTA_EXCEEDED';

const none: readonly ProjectQuotas[] = [];

/** The maximum number of starts that one answer examines. */
const maxStarts = 5_000;

interface ProjectRules {
  readonly quotas: readonly (Quota & { readonly index: number })[];
  readonly ledger: ProjectLedger;
  /** By resource type; Infinity without a limit. */
  readonly limits: readonly number[];
  /** Those of the ledger, each with its limit in amount times milliseconds. */
  readonly budgets: readonly { readonly ledger: PeriodLedger; readonly limit: number }[];
}

/**
 * What projects may have at most. A lease counts from its plan on: whatever is planned keeps to the quotas at every
 * instant and in every period. Preemption makes room on nodes, but not in a quota.
 */
export class Quotas {
  private readonly rules = new Map<number, ProjectRules>();

  constructor(
    private readonly space: ResourceSpace,
    private readonly ledgers: ProjectLedgers,
  ) {}

  /** Null removes them. The new ledger is empty: the caller enters what the project holds. */
  set({ project, quotas, usage }: ProjectQuotas): void {
    const indexed = quotas.map((quota) => ({ ...quota, index: this.indexOf(quota.type) }));
    if (indexed.length === 0) {
      this.rules.delete(project);
      this.ledgers.set(project, null);
      return;
    }
    const budgets = indexed.flatMap(({ amountHours, index, period }) =>
      amountHours === null || period === null
        ? []
        : [{ ledger: new PeriodLedger(index, period), limit: amountHours * HOUR }],
    );
    for (const { ledger } of budgets)
      for (const { type, periodStart, used } of usage)
        if (this.indexOf(type) === ledger.type && periodStart % ledger.period === 0)
          ledger.settled.set(ledger.indexAt(periodStart), used);
    const limits = this.space.types.map((_type, index) =>
      Math.min(...indexed.filter((each) => each.index === index).map(({ amount }) => amount ?? Infinity)),
    );
    const ledger = new ProjectLedger(
      this.space.types.length,
      budgets.map((each) => each.ledger),
    );
    this.ledgers.set(project, ledger);
    this.rules.set(project, { quotas: indexed, ledger, limits, budgets });
  }

  /** Throws INVALID_REQUEST. */
  check(quotas: readonly Quota[]): void {
    const refuse = (index: number, field: string, message: string): never => {
      throw new SchedulerError('INVALID_REQUEST', message, ['quotas', String(index), field]);
    };
    quotas.forEach((quota, index) => {
      const { type, amount, amountHours, period, maxDuration, maxLeases } = quota;
      if (this.indexOf(type) < 0)
        refuse(index, 'type', `The site has no resource type "${type}"; it has ${this.typeNames()}.`);
      if (quotas.findIndex((other) => other.type === type) < index)
        refuse(index, 'type', `There are two quotas for ${type}; combine them into one.`);
      const whole = { amount, maxLeases, maxDuration, period };
      for (const [field, value] of Object.entries(whole))
        if (value !== null && (!Number.isSafeInteger(value) || value < 0))
          refuse(index, field, `The ${field} of a quota is a whole number of 0 or more, not ${value}.`);
      if (amountHours !== null && !(Number.isFinite(amountHours) && amountHours >= 0))
        refuse(index, 'amountHours', `The amountHours of a quota are a number of 0 or more, not ${amountHours}.`);
      if ((amountHours === null) !== (period === null))
        refuse(index, 'period', 'A quota with amountHours needs a period, and a period needs amountHours.');
      if (period !== null && period < HOUR)
        refuse(index, 'period', `The period of a quota is an hour at least, not ${formatDuration(period)}.`);
      if ([amount, amountHours, maxDuration, maxLeases].every((limit) => limit === null))
        refuse(index, 'type', `The quota for ${type} has no limit; give it one, or leave it out.`);
    });
  }

  /** Whether the lease belongs to a project with quotas. */
  concern(lease: Lease): boolean {
    return this.rulesOf(lease) !== null;
  }

  /**
   * How far from `start` on, at most to `end`, the quotas let the machines of a lease be held; `start` when not at all.
   * What the lease itself has planned must be taken out before.
   */
  reach(lease: Lease, start: Instant, end: Instant): Instant {
    const rules = this.rulesOf(lease);
    if (!rules || start >= end) return end;
    const allowed = rules.limits.map((limit, type) => limitFor(limit, lease.totals[type] as number));
    let reach = rules.ledger.firstAbove(start, end, allowed);
    for (const { ledger, limit } of rules.budgets) {
      const amount = lease.totals[ledger.type] as number;
      for (let from = start; amount > 0 && from < reach; ) {
        const index = ledger.indexAt(from);
        const to = Math.min(reach, (index + 1) * ledger.period);
        const left = Math.floor((limit - ledger.within(index)) / amount);
        if (left < to - from) reach = from + Math.max(0, left);
        from = to;
      }
    }
    return reach;
  }

  /** Why a lease is refused whatever is planned, or since there are too many already; null when it is let in. */
  whyRefused(lease: Lease, maxNeed: Millis, live: Iterable<Lease>): StateReason | null {
    for (const quota of this.quotasOf(lease)) {
      const { type, amount, amountHours, index, maxDuration, maxLeases, period } = quota;
      const total = lease.totals[index] as number;
      if (amount !== null && total > amount)
        return exceeded(`its project may hold ${amount} ${type} at any instant, and the lease requests ${total}`);
      if (maxDuration !== null && lease.duration > maxDuration)
        return exceeded(
          `leases of its project may last ${formatDuration(maxDuration)}, and this one requests ${formatDuration(lease.duration)}`,
        );
      if (maxLeases !== null) {
        let count = 0;
        for (const other of live) if (counts(other, lease, index)) count += 1;
        if (count >= maxLeases)
          return exceeded(`its project has ${count} leases that have not ended, and may have ${maxLeases}`);
      }
      // Others are decided when they are planned.
      if (amountHours !== null && period !== null && lease.type === 'BEST_EFFORT') {
        const needed = (total * Math.min(maxNeed, period)) / HOUR;
        if (needed > amountHours)
          return exceeded(
            `its project may use ${amountHours} ${type} hours per ${formatDuration(period)}, and the lease needs ${rounded(needed)}`,
          );
      }
    }
    return null;
  }

  /** Why the quotas do not let a lease be held over [start, end), with what is left; null when they do. */
  whyBlocked(lease: Lease, start: Instant, end: Instant): StateReason | null {
    const rules = this.rulesOf(lease);
    if (!rules || this.reach(lease, start, end) >= end) return null;
    for (const { amount, index, type } of rules.quotas) {
      const total = lease.totals[index] as number;
      if (amount === null || total === 0) continue;
      const left = Math.max(0, amount - rules.ledger.maxHeld(start, end, index));
      if (total > left)
        return exceeded(`of the ${amount} ${type} of its project ${left} are left then, and the lease needs ${total}`);
    }
    for (const { ledger, limit } of rules.budgets) {
      const total = lease.totals[ledger.type] as number;
      if (total === 0) continue;
      for (let from = start; from < end; ) {
        const index = ledger.indexAt(from);
        const to = Math.min(end, (index + 1) * ledger.period);
        const left = Math.max(0, limit - ledger.within(index));
        if (total * (to - from) > left) {
          const { name } = this.space.types[ledger.type] as { name: string };
          return exceeded(
            `of the ${limit / HOUR} ${name} hours of its project per ${formatDuration(ledger.period)}, ${rounded(left / HOUR)} are left then, and the lease needs ${rounded((total * (to - from)) / HOUR)}`,
          );
        }
        from = to;
      }
    }
    return null;
  }

  /** The longest duration that the lease may request; Infinity without a limit. */
  maxDurationOf(lease: Lease): Millis {
    return Math.min(...this.quotasOf(lease).map(({ maxDuration }) => maxDuration ?? Infinity));
  }

  /** The end of the next period of the lease's project in which something is used or planned; null without one. */
  nextRelief(lease: Lease, after: Instant): Instant | null {
    return this.earliestRelief(this.rulesOf(lease), after);
  }

  /** As `nextRelief`, for the projects of the leases. */
  nextReliefOfAny(leases: Iterable<Lease>, after: Instant): Instant | null {
    if (this.rules.size === 0) return null;
    const projects = new Set<number>();
    for (const { terms } of leases) if (terms.project !== null) projects.add(terms.project);
    let next: Instant | null = null;
    for (const project of projects) {
      const at = this.earliestRelief(this.rules.get(project) ?? null, after);
      if (at !== null && (next === null || at < next)) next = at;
    }
    return next;
  }

  /** Starts after `from` at which what the quotas per period say of such a lease may change, up to `to` at least. */
  startsThatMatter(lease: Lease, from: Instant, to: Instant, duration: Millis): Instant[] {
    const starts: Instant[] = [];
    for (const { ledger, limit } of this.rulesOf(lease)?.budgets ?? []) {
      const amount = lease.totals[ledger.type] as number;
      if (amount === 0) continue;
      const { period } = ledger;
      for (let index = ledger.indexAt(from); starts.length < maxStarts; index += 1) {
        const begin = index * period;
        const left = Math.max(0, Math.floor((limit - ledger.within(index)) / amount));
        starts.push(begin, begin + left - duration + 1, begin + period - left);
        // From a period on in which nothing is used, every period is like the one before.
        if (begin > to && ledger.nextRelief(begin - period) === null) break;
      }
    }
    return starts.filter((start) => start > from);
  }

  /** The quotas of all projects, with what is used. */
  records(now: Instant): ProjectQuotas[] {
    return [...this.rules.keys()].sort((a, b) => a - b).map((project) => this.record(project, now));
  }

  /** Those of some projects, and those whose use has changed since this was last asked. */
  takeChanges(others: ReadonlySet<number>, now: Instant): readonly ProjectQuotas[] {
    if (this.rules.size + others.size === 0) return none;
    const changed = new Set(others);
    for (const [project, { ledger }] of this.rules) {
      if (ledger.changed) changed.add(project);
      ledger.changed = false;
    }
    return [...changed].sort((a, b) => a - b).map((project) => this.record(project, now));
  }

  record(project: number, now: Instant): ProjectQuotas {
    const { quotas = [], budgets = [] } = this.rules.get(project) ?? {};
    for (const { ledger } of budgets) ledger.forget(now);
    return {
      project,
      quotas: quotas.map(({ index: _, ...quota }) => quota),
      usage: budgets.flatMap(({ ledger: { period, settled, type } }) =>
        [...settled]
          .sort(([a], [b]) => a - b)
          .map(([index, used]) => ({
            type: (this.space.types[type] as { name: string }).name,
            periodStart: index * period,
            used,
          })),
      ),
    };
  }

  /** How much of the quotas of a project is in use. */
  states(project: number, live: Iterable<Lease>, now: Instant): QuotaState[] {
    const rules = this.rules.get(project);
    if (!rules) return [];
    const own = [...live].filter(({ terms }) => terms.project === project);
    return rules.quotas.map(({ index, ...quota }) => {
      const budget = rules.budgets.find(({ ledger }) => ledger.type === index)?.ledger;
      const period = budget?.indexAt(now) ?? 0;
      return {
        quota,
        held: rules.ledger.heldAt(now, index),
        usedHours: budget ? budget.within(period) / HOUR : null,
        periodStart: budget ? period * budget.period : null,
        leases: own.filter(({ totals }) => (totals[index] as number) > 0).length,
      };
    });
  }

  private earliestRelief(rules: ProjectRules | null, after: Instant): Instant | null {
    let next: Instant | null = null;
    for (const { ledger } of rules?.budgets ?? []) {
      const at = ledger.nextRelief(after);
      if (at !== null && (next === null || at < next)) next = at;
    }
    return next;
  }

  private rulesOf({ terms: { project } }: Lease): ProjectRules | null {
    return project === null ? null : (this.rules.get(project) ?? null);
  }

  /** Those that concern the lease: it requests some of their type. */
  private quotasOf(lease: Lease): ProjectRules['quotas'] {
    return this.rulesOf(lease)?.quotas.filter(({ index }) => (lease.totals[index] as number) > 0) ?? [];
  }

  private indexOf(type: string): number {
    return this.space.types.findIndex(({ name }) => name === type);
  }

  private typeNames(): string {
    return this.space.types.map(({ name }) => name).join(', ');
  }
}

/** How much others may hold beside a lease that needs so much. A type that it does not request does not limit it. */
function limitFor(limit: number, needed: number): number {
  return needed === 0 ? Infinity : limit - needed;
}

function counts(other: Lease, lease: Lease, type: number): boolean {
  return other !== lease && other.terms.project === lease.terms.project && (other.totals[type] as number) > 0;
}

function exceeded(message: string): StateReason {
  return { code: quotaExceeded, message };
}

function rounded(hours: number): number {
  return Math.ceil(hours * 100) / 100;
}
