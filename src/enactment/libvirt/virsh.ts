/** Calls of `virsh`, without a shell. */
import type { Millis } from '../../core/index.ts';
import { HostUnreachable } from '../../engine/ports.ts';
import { ProgramError, type ProgramResult, plainEnvironment, runProgram } from '../program.ts';

/** What libvirt refused. */
export class LibvirtError extends Error {
  override readonly name = 'LibvirtError';

  /** There is no such domain. */
  get isUnknownDomain(): boolean {
    return /failed to get domain|Domain not found|no domain with matching/i.test(this.message);
  }

  /** The domain has no such metadata. */
  get isUnknownMetadata(): boolean {
    return /metadata not found/i.test(this.message);
  }
}

const outOfReach =
  /failed to connect to the hypervisor|Failed to connect socket|Cannot recv data|End of file while reading|client socket is closed|connection (refused|reset)|unable to connect to server|keepalive/i;

/** An environment with English messages. */
export const virshEnvironment = (): Record<string, string> => ({ ...plainEnvironment(), LC_ALL: 'C' });

export class Virsh {
  constructor(readonly uri: string) {}

  /** Returns the output. Rejects with LibvirtError, HostUnreachable, or the reason of the signal. */
  async run(args: readonly string[], timeLimit: Millis, signal: AbortSignal): Promise<string> {
    signal.throwIfAborted();
    try {
      const env = virshEnvironment();
      const result = await runProgram('virsh', ['-q', '-c', this.uri, ...args], { env, timeLimit, signal });
      if (result.status !== 0) throw this.failure(args[0] ?? '', result);
      return result.stdout;
    } catch (error) {
      if (error instanceof ProgramError && error.kind === 'TIME_LIMIT')
        throw new HostUnreachable(`${this.uri} does not answer: ${args[0]} took longer than ${timeLimit / 1_000} s`);
      throw error;
    }
  }

  private failure(command: string, { status, stderr }: ProgramResult): Error {
    const text = stderr
      .replaceAll(/^error: /gm, '')
      .trim()
      .replaceAll('\n', ': ');
    if (outOfReach.test(text)) return new HostUnreachable(`${this.uri}: ${text}`);
    // libvirt has said nothing.
    if (status === null || text === '')
      return new Error(`virsh ${command} ${status === null ? 'was ended by a signal' : `exited with ${status}`}`);
    return new LibvirtError(text);
  }
}
