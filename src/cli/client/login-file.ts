import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { CliError } from '../terminal.ts';

/** What `login` keeps. */
export interface Login {
  readonly server: string;
  readonly token: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

export function loginFile(environment: Environment): string {
  const folder = environment.XDG_CONFIG_HOME || join(environment.HOME || homedir(), '.config');
  return join(folder, 'leasegraph', 'login.json');
}

/** Null without a login. Throws CliError for a file that cannot be read. */
export function readLogin(environment: Environment): Login | null {
  const file = loginFile(environment);
  try {
    const { server, token } = JSON.parse(readFileSync(file, 'utf8')) as Partial<Login>;
    if (typeof server === 'string' && typeof token === 'string') return { server, token };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    if (!(error instanceof SyntaxError)) {
      throw new CliError(`${file}: cannot be read: ${(error as Error).message} [FILE_UNREADABLE]`);
    }
  }
  throw new CliError(`${file}: is damaged; run leasegraph login again [FILE_UNREADABLE]`);
}

/** Only the owner can read the file. */
export function saveLogin(environment: Environment, login: Login): void {
  const file = loginFile(environment);
  const unfinished = `${file}.${process.pid}.tmp`;
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(unfinished, `${JSON.stringify(login, null, 2)}\n`, { mode: 0o600 });
    chmodSync(unfinished, 0o600);
    renameSync(unfinished, file);
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw new CliError(`${file}: cannot be written: ${(error as Error).message} [FILE_UNWRITABLE]`);
  }
}

/** Whether there was a login. */
export function forgetLogin(environment: Environment): boolean {
  const file = loginFile(environment);
  const known = readLoginOrDamaged(environment);
  rmSync(file, { force: true });
  return known;
}

function readLoginOrDamaged(environment: Environment): boolean {
  try {
    return readLogin(environment) !== null;
  } catch {
    return true;
  }
}
