/**
 * Items waiting for a turn: local commands, commands that other servers forwarded through the database, and reports
 * from hosts.
 */

import { type Answer, notUnderstood, type Refusal } from './commands/answer.ts';
import type { Command } from './commands/command.ts';
import { type CommandName, kindOf, parseCommand } from './commands/table.ts';
import type { ActionReport } from './hosts/report.ts';

import type { ForwardedCommand } from './ports.ts';

/** The destination of an answer: a local caller, or another server by this id through the database. */
export type ReplyTo = { readonly settle: (answer: Answer) => void } | { readonly forwarded: string };

export interface CommandItem {
  readonly type: 'command';
  readonly command: Command<CommandName>;
  readonly replyTo: ReplyTo;
}

/** A forwarded command that is refused without the core; it is answered like any other. */
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

/** Trials of the commands of a turn, in which the scheduler does nothing else: about half a second at most. */
const trialsPerTurn = 512;

/** In order of arrival. */
export class Inbox {
  private items: Item[] = [];
  /** Number of local commands among the items. */
  private local = 0;
  /** Whether other servers may have forwarded commands that were not read yet. */
  private unread = true;
  private readonly since = new WeakMap<Item, number>();

  constructor(
    private readonly maxLocal: number,
    private readonly monotonic: () => number = () => performance.now(),
  ) {}

  /** Number of waiting local commands. */
  get localCommands(): number {
    return this.local;
  }

  get hasWork(): boolean {
    return this.items.length > 0 || this.unread;
  }

  /** Whether any command is waiting. */
  get hasCommands(): boolean {
    return this.unread || this.items.some(({ type }) => type !== 'report');
  }

  /** Returns false when the inbox is full. */
  addCommand(command: Command<CommandName>, settle: (answer: Answer) => void): boolean {
    if (this.local >= this.maxLocal) return false;
    this.put({ type: 'command', command, replyTo: { settle } });
    return true;
  }

  addReport(report: ActionReport): void {
    this.put({ type: 'report', report });
  }

  /** Other servers may have forwarded commands: the next turn reads them. */
  announceForwarded(): void {
    this.unread = true;
  }

  /**
   * Reads at most `limit` forwarded commands. They stay in the database until their answers are written; no others are
   * read while any of them is in the inbox.
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
      this.put(command ? { type: 'command', command, replyTo } : { type: 'refused', refusal: notUnderstood, replyTo });
    }
  }

  /**
   * Takes the oldest items: at least one, at most `limit`, together writing about `rows` rows, and trying no more
   * places than a turn may.
   */
  take(limit: number, rows = Number.POSITIVE_INFINITY): Item[] {
    let [count, written, tried] = [0, 0, 0];
    for (; count < Math.min(limit, this.items.length); count += 1) {
      const item = this.items[count] as Item;
      written += rowsOf(item);
      tried += trialsOf(item);
      if (count > 0 && (written > rows || tried > trialsPerTurn)) break;
    }
    const taken = this.items.splice(0, count);
    this.local -= taken.filter(isLocal).length;
    return taken;
  }

  /** Age of an item (ms). */
  ageOf(item: Item): number {
    return this.monotonic() - (this.since.get(item) ?? this.monotonic());
  }

  /** Returns items to the front. */
  putBack(items: readonly Item[]): void {
    this.items = [...items, ...this.items];
    this.local += items.filter(isLocal).length;
  }

  /** Removes local commands. */
  takeLocal(): CommandItem[] {
    const taken = this.items.filter(isLocal);
    this.items = this.items.filter((item) => !isLocal(item));
    this.local = 0;
    return taken;
  }

  /** Drops forwarded commands. They remain in the database and are read again if still unanswered. */
  dropForwarded(): void {
    this.items = this.items.filter((item) => !isForwarded(item));
    this.unread = true;
  }

  /** A writer term has ended: forwarded commands and actions pass to the next writer; local commands stay. */
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

function trialsOf(item: Item): number {
  return item.type === 'command' ? (kindOf(item.command).trials ?? 0) : 0;
}

function rowsOf(item: Item): number {
  return item.type === 'command' ? kindOf(item.command).rows(item.command.input) : 1;
}
