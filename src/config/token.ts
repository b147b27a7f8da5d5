import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigurationError } from './error.ts';
import { makeDataFolder } from './folder.ts';

export interface AdminToken {
  readonly token: string;
  /** Whether it was created just now; it is shown only then. */
  readonly made: boolean;
  readonly file: string;
}

export function tokenFile(dataDir: string): string {
  return join(dataDir, 'admin-token');
}

/** The token in the data directory; null when there is none. Throws ConfigurationError. */
export function keptToken(dataDir: string): string | null {
  const file = tokenFile(dataDir);
  let kept: string;
  try {
    kept = readFileSync(file, 'utf8').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw new ConfigurationError(
      'FILE_UNREADABLE',
      `${file}: the admin token cannot be read: ${(error as Error).message}`,
    );
  }
  if (!/^[\x21-\x7e]+$/.test(kept)) {
    throw new ConfigurationError(
      'INVALID_VALUE',
      `${file}: is not a token; delete the file to have a new token created`,
    );
  }
  return kept;
}

/** The token in the data directory, or a new one, written there for its owner only. Throws ConfigurationError. */
export function adminToken(dataDir: string): AdminToken {
  const file = tokenFile(dataDir);
  const kept = keptToken(dataDir);
  if (kept !== null) {
    chmodSync(file, 0o600);
    return { token: kept, made: false, file };
  }
  const token = `lg_${Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url')}`;
  makeDataFolder(dataDir);
  try {
    writeFileSync(file, `${token}\n`, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    // Another server with the same directory has just written one.
    if ((error as NodeJS.ErrnoException).code === 'EEXIST' && keptToken(dataDir) !== null) return adminToken(dataDir);
    throw new ConfigurationError(
      'FILE_UNREADABLE',
      `${file}: the admin token cannot be written: ${(error as Error).message}`,
    );
  }
  return { token, made: true, file };
}

/** Deletes the token in the data directory, so that the next start creates another one. */
export function forgetToken(dataDir: string): void {
  rmSync(tokenFile(dataDir), { force: true });
}
