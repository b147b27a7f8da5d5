import { createInterface } from 'node:readline';
import { raceAbort } from '../../src/engine/async.ts';
import { type Environment, type LaunchedServer, launchServer } from '../support/server-process.ts';

/** An action of a host, as the dry run logs it. */
export interface HostAction {
  readonly lease: number;
  readonly action: number;
  readonly machine: number;
  readonly node: number;
  /** `start`, `shutdown`, … */
  readonly kind: string;
}

/** A server that is restarted whenever it exits, as by an init system, until it is stopped. */
export class Server {
  readonly actions: HostAction[] = [];
  /** Errors that must not occur, whatever happens around the server. */
  readonly strange: string[] = [];
  starts = 0;
  /** The last lines of its log, without calls of hosts, to investigate failures. */
  readonly lastLines: string[] = [];
  private present: LaunchedServer | null = null;
  private wanted = false;
  private changed: Promise<void> = Promise.resolve();
  private change: () => void = () => {};

  constructor(
    readonly name: string,
    private readonly environment: Environment,
  ) {
    this.renew();
  }

  get pid(): number {
    return this.present?.child.pid ?? 0;
  }

  start(): void {
    this.wanted = true;
    this.launch();
  }

  /** Whether it runs, or will be restarted when it exits. */
  get isWanted(): boolean {
    return this.wanted;
  }

  /** Its URL once it listens, across any number of restarts. Rejects when the signal aborts. */
  url(signal: AbortSignal): Promise<string> {
    return raceAbort(this.untilListening(signal), signal, () => new Error(`${this.name} does not listen`));
  }

  /** SIGKILL; resolves when the process has exited. Without `again` it is not restarted until `start`. */
  async kill({ again = true } = {}): Promise<void> {
    const { present } = this;
    this.wanted &&= again;
    present?.child.kill('SIGKILL');
    await present?.ended;
  }

  signal(signal: NodeJS.Signals): void {
    this.present?.child.kill(signal);
  }

  /** SIGTERM, without a restart. */
  async stop(): Promise<{ readonly code: number | null; readonly milliseconds: number }> {
    this.wanted = false;
    const { present } = this;
    if (!present) return { code: 0, milliseconds: 0 };
    await present.listening.catch(() => {});
    const begun = performance.now();
    present.child.kill('SIGTERM');
    const { code } = await present.ended;
    return { code, milliseconds: performance.now() - begun };
  }

  /** Stops it in any state. */
  async dispose(): Promise<void> {
    await this.kill({ again: false });
  }

  private async untilListening(signal: AbortSignal): Promise<string> {
    for (;;) {
      signal.throwIfAborted();
      const { present, changed } = this;
      const url = present ? await present.listening.catch(() => null) : null;
      if (url !== null && present === this.present) return url;
      if (present === this.present) await changed;
    }
  }

  private launch(): void {
    const launched = launchServer(this.environment);
    this.present = launched;
    this.starts += 1;
    if (launched.child.stderr) createInterface(launched.child.stderr).on('line', (line) => this.read(line));
    void launched.ended.then(({ code }) => {
      this.present = null;
      // 1: it reports that it cannot start. Null: a signal.
      if (code !== null && code > 1) this.strange.push(`${this.name} ended with ${code}`);
      if (this.wanted) this.launch();
    });
    this.renew();
  }

  private renew(): void {
    this.change();
    this.changed = new Promise((resolve) => {
      this.change = resolve;
    });
  }

  private read(line: string): void {
    if (!line.includes('"msg":"would ')) {
      this.lastLines.push(line.slice(0, 1_000));
      if (this.lastLines.length > 40) this.lastLines.shift();
    }
    if (!line.startsWith('{')) {
      // Not a log line: the message of a failed start, or an uncaught error.
      if (/^\s+at |Unhandled|Uncaught|^node:/.test(line)) this.strange.push(`${this.name}: ${line}`);
      return;
    }
    let entry: Record<string, unknown>;
    try {
      entry = JSON.parse(line);
    } catch {
      // The last output of a killed process.
      return;
    }
    const { level, msg, lease, action, machine, node, error, reason } = entry;
    const told = /^would (\w+)$/.exec(String(msg));
    if (told?.[1]) this.actions.push({ lease, action, machine, node, kind: told[1] } as HostAction);
    if (Number(level) < 50 || isExpected(String(msg), String(reason))) return;
    const { message, stack } = (entry.err ?? {}) as { message?: string; stack?: string };
    const frames = stack?.split('\n').filter((frame) => /^\s+at /.test(frame));
    const wrong = [this.name, msg, error ?? message, frames?.[0]?.trim()].join(' | ');
    if (!this.strange.includes(wrong)) this.strange.push(wrong);
  }
}

/**
 * Errors that are expected because of the faults of this harness. While no server runs, the accelerated clock passes the
 * time that hosts have for their work: a lease that was promised a time may then have to fail.
 */
const isExpected = (message: string, reason: string): boolean =>
  /out of reach|Another server has become the writer|cannot be loaded from the database/.test(message) ||
  (message === 'lease failed' && /^what hosts do for lease \d+ takes longer than planned$/.test(reason));
