/**
 * What waits for a turn: commands of this process, commands that other servers left in the database, and reports of
 * hosts.
 */

import { type Answer, notUnderstood, type Refusal } from './commands/answer.ts';
import type { Command } from './commands/command.ts';
import { type CommandName, kindOf, parseCommand } from './commands/table.ts';
import type { ActionReport } from './hosts/report.ts';

import type { ForwardedCommand } from './ports.ts';

/** Where an answer goes: to a caller in this process, or by this id through the database. */
export type ReplyTo = { readonly settle: (answer: Answer) => void } | { readonly forwarded: string };

export interface CommandItem {
  readonly type: 'command';
  readonly command: Command<CommandName>;
  readonly replyTo: ReplyTo;
}

/** A forwarded command that is refused without asking the core; its answer goes the way of all answers. */
export interface RefusedItem {
  readonly type: 'refused';
  readonly refusal: Refusal;
  readonly replyTo: ReplyTo;
}

export interface ReportItem {
  readonly type: 'report';
  readonly report: ActionReport;
}

export type Item = CommandItem | RefusedItem | ReportItem;

/** First come, first served. */
export class Inbox {
  private items: Item[] = [];
  /** Commands of this process among the items. */
  private local = 0;
  /** Other servers may have left commands in the database that were not read yet. */
  private unread = true;
  private readonly since = new WeakMap<Item, number>();

  constructor(
    private readonly maxLocal: number,
    private readonly monotonic: () => number = () => performance.now(),
  ) {}

  /** Commands of this process that wait. */
  get localCommands(): number {
    return this.local;
  }

  get hasWork(): boolean {
    return this.items.length > 0 || this.unread;
  }

  /** Whether a command waits. */
  get hasCommands(): boolean {
    return this.unread || this.items.some(({ type }) => type !== 'report');
  }

  /** False when too many wait already. */
  addCommand(command: Command<CommandName>, settle: (answer: Answer) => void): boolean {
    if (this.local >= this.maxLocal) return false;
    this.put({ type: 'command', command, replyTo: { settle } });
    return true;
  }

  addReport(report: ActionReport): void {
    this.put({ type: 'report', report });
  }

  /** Other servers may have forwarded commands: the next turn looks for them. */
  announceForwarded(): void {
    this.unread = true;
  }

  /**
   * Takes the forwarded commands in, at most `limit`. They stay in the database until their answers are written; while
   * some of them are here, no others are read.
   */
  async collect(limit: number, read: (limit: number) => Promise<readonly ForwardedCommand[]>): Promise<void> {
    if (!this.unread || this.items.some(isForwarded)) return;
    this.unread = false;
    let found: readonly ForwardedCommand[];
    try {
      found = await read(limit);
    } catch (error) {
      this.unread = true;
      throw error;
    }
    if (found.length === limit) this.unread = true;
    for (const { id, payload } of found) {
      const command = parseCommand(payload);
      const replyTo = { forwarded: id };
      this.put(
        command
          ? { type: 'command', command, replyTo }
          : { type: 'refused', refusal: notUnderstood, replyTo },
      );
    }
  }

  /** The oldest items: at most `limit`, which write about `rows` rows together, but one at least. */
  take(limit: number, rows = Number.POSITIVE_INFINITY): Item[] {
    let count = 0;
    for (let written = 0; count < Math.min(limit, this.items.length); count += 1) {
      written += rowsOf(this.items[count] as Item);
      if (count > 0 && written > rows) break;
    }
    const taken = this.items.splice(0, count);
    this.local -= taken.filter(isLocal).length;
    return taken;
  }

  /** How long an item has been here (ms). */
  ageOf(item: Item): number {
    return this.monotonic() - (this.since.get(item) ?? this.monotonic());
  }

  /** Puts items back in front of all others. */
  putBack(items: readonly Item[]): void {
    this.items = [...items, ...this.items];
    this.local += items.filter(isLocal).length;
  }

  /** Removes the commands of this process. */
  takeLocal(): CommandItem[] {
    const taken = this.items.filter(isLocal);
    this.items = this.items.filter((item) => !isLocal(item));
    this.local = 0;
    return taken;
  }

  /** Forgets the forwarded commands, which are in the database: they are read again if they are still waiting there. */
  dropForwarded(): void {
    this.items = this.items.filter((item) => !isForwarded(item));
    this.unread = true;
  }

  /**
   * A term as the writer has ended: forwarded commands and actions are the next writer's; commands of this process
   * stay.
   */
  endTerm(): void {
    this.dropForwarded();
    this.items = this.items.filter(({ type }) => type !== 'report');
  }

  private put(item: Item): void {
    this.items.push(item);
    this.since.set(item, this.monotonic());
    if (isLocal(item)) this.local += 1;
  }
}

function isLocal(item: Item): item is CommandItem {
  return item.type === 'command' && 'settle' in item.replyTo;
}

function isForwarded(item: Item): boolean {
  return item.type !== 'report' && 'forwarded' in item.replyTo;
}

function rowsOf(item: Item): number {
  return item.type === 'command' ? kindOf(item.command).rows(item.command.input) : 1;
}
