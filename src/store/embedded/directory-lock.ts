import { execFile } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, readlink, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { StoreError } from '../../engine/ports.ts';
import { codeOf } from '../errors.ts';

/** Renewal interval of a claim, and time without renewal after which an invisible process counts as dead (ms). */
const renewal = 2_000;
const expiry = 10_000;

interface Claim {
  readonly file: string;
  readonly pid: number;
  /** Start time of that process as reported by its system; empty if unknown. */
  readonly start: string;
  /** Scope of its pid: a hash of machine, boot and pid namespace. */
  readonly domain: string;
}

export interface DirectoryLock {
  /** Aborts with a StoreError when the directory is gone or another process holds it. */
  readonly lost: AbortSignal;
  /**
   * Resolves while this process holds the directory, and checks again after a long time without renewal: another
   * process may have taken the directory of a paused container. Throws StoreError in that case.
   */
  confirm(): Promise<void>;
  release(): Promise<void>;
}

/**
 * Makes this process the only user of `directory`. Each process writes a claim, a file with a unique name, and holds
 * the directory once it sees no other live claim, so two processes that start at once never both hold it. Claims of
 * dead processes are deleted; their names are never reused, so this needs no lock. Throws StoreError that names the
 * directory and the process that holds it.
 */
export async function lockDirectory(directory: string): Promise<DirectoryLock> {
  const claims = join(directory, 'lock');
  for (const folder of [directory, claims]) await makeUnlessThere(folder);
  const domain = await pidDomain();
  const start = await startOf(process.pid);
  const own = `${process.pid}.${start}.${domain}.${randomUUID()}`;
  const file = join(claims, own);
  await writeFile(file, '', { flag: 'wx' });
  const release = () => rm(file, { force: true });
  try {
    // A process that started at the same moment yields or wins within this time.
    for (let patience = 50; ; patience--) {
      const others = await liveClaims(claims, own, domain);
      const first = others[0];
      if (first === undefined) break;
      if (patience === 0 || others.some((other) => other.file < own)) throw taken(directory, first, domain);
      await sleep(20);
    }
  } catch (error) {
    await release();
    throw error;
  }
  let renewedAt = performance.now();
  const lost = new AbortController();
  const lose = () =>
    lost.abort(
      new StoreError(
        'PERMANENT',
        existsSync(claims)
          ? `The data directory ${directory} was taken over by another process while this one stood still. Start this one again.`
          : `The data directory ${directory} is gone. Restore it, and start Leasegraph again.`,
      ),
    );
  const renew = async (): Promise<void> => {
    const asked = performance.now();
    const now = new Date();
    try {
      await utimes(file, now, now);
      renewedAt = asked;
    } catch (error) {
      // (Other renewal errors do not prove that it is gone.)
      if (codeOf(error) === 'ENOENT' && !lost.signal.aborted) lose();
    }
  };
  const timer = setInterval(() => void renew(), renewal).unref();
  return {
    lost: lost.signal,
    confirm: async () => {
      if (performance.now() - renewedAt > expiry / 2) await renew();
      lost.signal.throwIfAborted();
    },
    release: async () => {
      clearInterval(timer);
      await release();
    },
  };
}

const makeUnlessThere = (folder: string): Promise<void> =>
  mkdir(folder).catch((error: unknown) => {
    if (codeOf(error) !== 'EEXIST') throw error;
  });

async function liveClaims(claims: string, own: string, domain: string): Promise<Claim[]> {
  const others: Claim[] = [];
  for (const file of (await readdir(claims)).sort()) {
    const [pid = '', start = '', where = ''] = file.split('.');
    const claim: Claim = { file, pid: Number(pid), start, domain: where };
    if (file === own) continue;
    if (await isLive(join(claims, file), claim, domain)) others.push(claim);
    else await rm(join(claims, file), { force: true });
  }
  return others;
}

async function isLive(path: string, claim: Claim, domain: string): Promise<boolean> {
  if (claim.domain === domain && claim.start !== '') return (await startOf(claim.pid)) === claim.start;
  // Another machine, container or boot, or a system without start times: only renewals prove that it lives.
  const renewed = await stat(path).catch(() => null);
  return renewed !== null && Date.now() - renewed.mtimeMs < expiry;
}

/** Distinguishes successive processes with the same pid; empty if there is no such process or no information. */
async function startOf(pid: number): Promise<string> {
  if (process.platform === 'linux') {
    const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
    // The second field is the command name in parentheses, which may itself contain spaces and parentheses.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' || fields[0] === 'X' ? '' : (fields[19] ?? '');
  }
  return (await ps(pid, 'lstart')).replaceAll(/[^0-9A-Za-z]+/g, '-');
}

/** The command line of a process; empty if there is no such process or no information. */
export async function commandOf(pid: number): Promise<string> {
  if (process.platform === 'linux') {
    return (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).replaceAll('\0', ' ');
  }
  return ps(pid, 'command');
}

async function ps(pid: number, column: string): Promise<string> {
  const listed = promisify(execFile)('ps', ['-o', `${column}=`, '-p', String(pid)]);
  return (await listed.catch(() => ({ stdout: '' }))).stdout.trim();
}

async function pidDomain(): Promise<string> {
  const parts = await Promise.all([
    hostname(),
    readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => ''),
    readlink('/proc/self/ns/pid').catch(() => ''),
  ]);
  return createHash('sha256').update(parts.join('\n')).digest('hex').slice(0, 16);
}

function taken(directory: string, claim: Claim, domain: string): StoreError {
  const where = claim.domain === domain ? '' : ' of another machine or container';
  const who =
    claim.pid === process.pid && where === '' ? `this process (${claim.pid})` : `process ${claim.pid}${where}`;
  return new StoreError(
    'PERMANENT',
    `The data directory ${directory} is in use by ${who}. Stop it, or set LEASEGRAPH_DATA_DIR to another directory.`,
  );
}
