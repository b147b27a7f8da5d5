import { type Instant, type Scheduler, SchedulerError } from '../core/index.ts';
import type { Command } from './commands.ts';
import type { CommandResult, MaintenanceResult } from './result.ts';

/** Carries out the commands of a run in their order, and remembers what became of them. */
export class CommandFeed {
  readonly results: CommandResult[] = [];
  private readonly planned: { name: string; nodes: readonly number[]; start: Instant; end: Instant }[] = [];
  private next = 0;

  constructor(
    private readonly scheduler: Scheduler,
    private readonly commands: readonly Command[],
    private readonly start: Instant,
    /** Leases that have been requested. */
    private readonly requested: ReadonlySet<number>,
  ) {}

  /** When the next command is due; null when there is none. */
  get nextTime(): Instant | null {
    const command = this.commands[this.next];
    return command ? this.start + command.at : null;
  }

  /** Carries out what is due by `now`. Returns whether any command was accepted. */
  carryOut(now: Instant): boolean {
    let accepted = false;
    for (let command = this.commands[this.next]; command; command = this.commands[this.next]) {
      if (this.start + command.at > now) break;
      this.next += 1;
      accepted = this.attempt(command, now) || accepted;
    }
    return accepted;
  }

  /** Maintenance as it really was; what was ended before it began is left out. */
  get maintenance(): MaintenanceResult[] {
    return this.planned
      .filter(({ start, end }) => end > start)
      .map(({ name, nodes, start, end }) => ({
        name,
        nodes,
        start: this.seconds(start),
        end: this.seconds(end),
      }));
  }

  private attempt(command: Command, now: Instant): boolean {
    const at = command.at / 1000;
    try {
      this.give(command, now);
      this.results.push({ at, accepted: true, code: null });
      return true;
    } catch (error) {
      if (!(error instanceof SchedulerError) || error.code === 'INTERNAL') throw error;
      const { maxDuration } = error.details;
      this.results.push({
        at,
        accepted: false,
        code: error.code,
        ...(maxDuration === undefined ? {} : { longest: maxDuration / 1000 }),
        message: error.message,
        line: command.line,
      });
      return false;
    }
  }

  private give(command: Command, now: Instant): void {
    const { scheduler, start } = this;
    // Numbers of leases say nothing about when they arrive.
    if ('lease' in command && !this.requested.has(command.lease))
      throw new SchedulerError('LEASE_NOT_FOUND', `Lease ${command.lease} does not exist.`);
    switch (command.kind) {
      case 'cancel':
        scheduler.cancel(now, command.lease);
        break;
      case 'update': {
        const { terms, asFarAsPossible } = command;
        scheduler.update(now, command.lease, {
          ...(terms.start === undefined ? {} : { start: start + terms.start }),
          ...(terms.duration === undefined ? {} : { duration: terms.duration }),
          ...(terms.deadline === undefined ? {} : { deadline: start + terms.deadline }),
          asFarAsPossible,
        });
        break;
      }
      case 'node':
        scheduler.setNodeState(now, command.node, command.set, command.collisions);
        break;
      case 'maintenance': {
        const { name, nodes, collisions } = command;
        const maintenance = { name, nodes, start: start + command.start, end: start + command.end };
        scheduler.planMaintenance(now, maintenance, collisions);
        this.planned.push({ ...maintenance, nodes: [...new Set(nodes)].sort((a, b) => a - b) });
        break;
      }
      case 'endMaintenance': {
        scheduler.endMaintenance(now, command.name);
        const ended = this.planned.findLast(({ name }) => name === command.name);
        if (ended) ended.end = Math.max(ended.start, now);
      }
    }
  }

  private seconds(at: Instant): number {
    return (at - this.start) / 1000;
  }
}
