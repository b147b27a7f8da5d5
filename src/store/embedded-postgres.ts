import { closeSync, fsyncSync } from 'node:fs';
import { PGlite } from '@electric-sql/pglite';
import { NodeFS } from '@electric-sql/pglite/nodefs';
import { plannerSettings } from './session.ts';

/**
 * PGlite as the store needs it: every commit is on the disk before it is answered, and a PANIC of PostgreSQL ends it for good,
 * where PGlite by itself would run in a circle for ever at the next query.
 */
export class EmbeddedPostgres extends PGlite {
  #panic: Error | null = null;
  #abandoned = false;

  /** Throws when the directory holds no database that PostgreSQL can start on. */
  static async open(directory: string): Promise<EmbeddedPostgres> {
    const postgres = new EmbeddedPostgres({
      fs: new DurableNodeFs(directory),
      startParams: [
        // `-F` turns fsync off: then a commit would survive this process, but not a power failure.
        ...PGlite.defaultStartParams.filter((parameter) => parameter !== '-F'),
        ...['-c', 'fsync=on', '-c', 'wal_sync_method=fsync'],
        // Nobody gathers statistics here, and the statement that writes commits is planned while the tables are still small: PostgreSQL would
        // read whole tables for ever, and every lease would cost more than the one before.
        ...['-c', 'enable_seqscan=off'],
        ...['-c', 'timezone=UTC', '-c', 'standard_conforming_strings=on'],
        ...Object.entries(plannerSettings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
      ],
    });
    try {
      await postgres.waitReady;
    } catch (error) {
      postgres.abandon();
      throw error;
    }
    return postgres;
  }

  /** What PostgreSQL said as it gave up; null while it works. */
  get panic(): Error | null {
    return this.#panic;
  }

  override async execProtocol(...parameters: Parameters<PGlite['execProtocol']>) {
    return this.#watch(super.execProtocol(...parameters));
  }

  override async execProtocolStream(...parameters: Parameters<PGlite['execProtocolStream']>) {
    return this.#watch(super.execProtocolStream(...parameters));
  }

  override execProtocolRawSync(message: Uint8Array): Uint8Array {
    if (this.#panic !== null) throw this.#panic;
    return super.execProtocolRawSync(message);
  }

  /** After a PANIC: lets go of the files without asking PostgreSQL. */
  abandon(): void {
    // Once: the numbers of these files may be those of others later.
    if (this.#abandoned || this.mod === undefined) return;
    this.#abandoned = true;
    const { FS } = this.Module as unknown as { FS: { streams: ({ readonly nfd?: number } | null)[] } };
    for (const stream of FS.streams) {
      try {
        if (stream?.nfd !== undefined) closeSync(stream.nfd);
      } catch {
        // Closed before.
      }
    }
  }

  async #watch<T>(result: Promise<T>): Promise<T> {
    try {
      return await result;
    } catch (error) {
      if (
        error instanceof Error &&
        'severity' in error &&
        (error.severity === 'PANIC' || error.severity === 'FATAL')
      ) {
        this.#panic ??= error;
      }
      throw error;
    }
  }
}

interface Emscripten {
  readonly FS: { readonly ErrnoError: new (errno: number) => Error };
  readonly NODEFS: { readonly stream_ops: { fsync?(stream: { readonly nfd: number }): number } };
}

const inputOutputError = 29;

/** Emscripten's file system for Node.js lets fsync do nothing. */
class DurableNodeFs extends NodeFS {
  override async init(...[database, settings]: Parameters<NodeFS['init']>): ReturnType<NodeFS['init']> {
    const { emscriptenOpts } = await super.init(database, settings);
    const preRun = emscriptenOpts.preRun ?? [];
    const durable = ({ FS, NODEFS }: Emscripten) => {
      NODEFS.stream_ops.fsync = ({ nfd }) => {
        try {
          fsyncSync(nfd);
          return 0;
        } catch {
          throw new FS.ErrnoError(inputOutputError);
        }
      };
    };
    return {
      emscriptenOpts: { ...emscriptenOpts, preRun: [...preRun, durable] as unknown as typeof preRun },
    };
  }
}
