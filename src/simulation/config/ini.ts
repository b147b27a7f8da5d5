import { ConfigError } from '../errors.ts';
import { shorten } from '../formats/xml.ts';
import type { ConfigEntry } from './option-values.ts';

/**
 * Takes an INI file apart: `[section]`, `key: value` or `key = value`, comments from `#` or `;` at the start of a line or ` ;` within it, indented lines
 * continue a value. Throws ConfigError.
 */
export function parseIni(file: string, text: string): ConfigEntry[] {
  const entries: ConfigEntry[] = [];
  const seen = new Map<string, number>();
  let section: string | null = null;
  let last: { -readonly [K in keyof ConfigEntry]: ConfigEntry[K] } | null = null;
  const fail = (line: number, found: string, expected: string): never => {
    throw new ConfigError(
      'NOT_WELL_FORMED',
      file,
      line,
      `"${shorten(found)}" was found, expected ${expected}`,
    );
  };

  for (const [index, raw] of text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .entries()) {
    const line = index + 1;
    const content = raw.replace(/\s;.*$/, '').trim();
    if (content === '' || /^\s*[#;]/.test(raw)) continue;
    if (/^\s/.test(raw) && last !== null) {
      last.value = `${last.value} ${content}`.trim();
      continue;
    }
    const header = /^\[([^\]]+)\]$/.exec(content);
    if (header !== null) {
      section = (header[1] as string).trim();
      last = null;
      continue;
    }
    const option = /^([^:=]+?)\s*[:=]\s*(.*)$/.exec(content);
    if (option === null) fail(line, content, '[section], key: value or key = value');
    if (section === null) fail(line, content, 'a [section] first');
    const [, key, value] = option as unknown as [string, string, string];
    const name = `${section}.${key}`;
    const before = seen.get(name);
    if (before !== undefined) {
      throw new ConfigError(
        'DUPLICATE_KEY',
        file,
        line,
        `${name} is set a second time (first in line ${before}), expected once`,
      );
    }
    seen.set(name, line);
    last = { file, line, section: section as string, key, value };
    entries.push(last);
  }
  return entries;
}
