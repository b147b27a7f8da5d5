import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { ConfigurationError } from './error.ts';

/**
 * Makes a folder, and those above it, where they are missing. Throws the system's error. (`recursive` of Node.js never returns where the
 * system makes no folders at all, as in `/proc`.)
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

/** Throws ConfigurationError when the data directory is missing and cannot be made. */
export function makeDataFolder(dataDir: string): void {
  try {
    makeFolder(dataDir);
  } catch (error) {
    throw new ConfigurationError(`The data directory ${dataDir} cannot be made: ${(error as Error).message}`);
  }
}
