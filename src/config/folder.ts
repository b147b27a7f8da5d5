import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { ConfigurationError } from './error.ts';

/**
 * Creates a folder and those above it, where they are missing. Throws the system's error. (With `recursive`, Node.js
 * never returns where no folder can be created at all, as in `/proc`.)
 */
export function makeFolder(path: string): void {
  try {
    mkdirSync(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST' && statSync(path).isDirectory()) return;
    if (code !== 'ENOENT' || existsSync(dirname(path))) throw error;
    makeFolder(dirname(path));
    makeFolder(path);
  }
}

/** Creates the data directory where it is missing. Throws ConfigurationError. */
export function makeDataFolder(dataDir: string): void {
  try {
    makeFolder(dataDir);
  } catch (error) {
    const detail = `${dataDir}: the data directory cannot be created: ${(error as Error).message}`;
    throw new ConfigurationError('FILE_UNREADABLE', detail);
  }
}
