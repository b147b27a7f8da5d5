import { randomBytes } from 'node:crypto';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigurationError } from './error.ts';
import { makeDataFolder } from './folder.ts';

export interface AdminToken {
  readonly token: string;
  /** Whether it was made just now; then it is shown, this once. */
  readonly made: boolean;
  readonly file: string;
}

export const tokenFile = (dataDir: string): string => join(dataDir, 'admin-token');

/** The token that is kept in the data directory; null when there is none. Throws ConfigurationError. */
export function keptToken(dataDir: string): string | null {
  const file = tokenFile(dataDir);
  let kept: string;
  try {
    kept = readFileSync(file, 'utf8').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw new ConfigurationError(`${file}: the admin token cannot be read: ${(error as Error).message}`);
  }
  if (!/^[\x21-\x7e]+$/.test(kept)) {
    throw new ConfigurationError(`${file}: this is no token. Delete the file to have a new one made.`);
  }
  return kept;
}

/** The token that is kept, or a new one, which is kept from now on for its owner's eyes only. Throws ConfigurationError. */
export function adminToken(dataDir: string): AdminToken {
  const file = tokenFile(dataDir);
  const kept = keptToken(dataDir);
  if (kept !== null) {
    chmodSync(file, 0o600);
    return { token: kept, made: false, file };
  }
  const token = `lg_${randomBytes(32).toString('base64url')}`;
  makeDataFolder(dataDir);
  try {
    writeFileSync(file, `${token}\n`, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    // Another server, on the same directory and another database, was quicker.
    if ((error as NodeJS.ErrnoException).code === 'EEXIST' && keptToken(dataDir) !== null)
      return adminToken(dataDir);
    throw new ConfigurationError(`${file}: the admin token cannot be kept: ${(error as Error).message}`);
  }
  return { token, made: true, file };
}
