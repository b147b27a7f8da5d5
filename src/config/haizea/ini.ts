import { at, ConfigurationError, type ConfigurationErrorCode, shorten } from '../error.ts';

/** One option as it stands in a file or on the command line. */
export interface ConfigEntry {
  readonly file: string;
  readonly line: number | null;
  readonly section: string;
  readonly key: string;
  readonly value: string;
}

/**
 * Parses an INI file: `[section]`, `key: value` or `key = value`, comments from `#` or `;` at the start of a line or
 * ` ;` within it; indented lines continue a value. Throws ConfigurationError.
 */
export function parseIni(file: string, text: string): ConfigEntry[] {
  const entries: ConfigEntry[] = [];
  const seen = new Map<string, number>();
  let section: string | null = null;
  let last: { -readonly [K in keyof ConfigEntry]: ConfigEntry[K] } | null = null;
  const fail = (code: ConfigurationErrorCode, line: number, detail: string): never => {
    throw new ConfigurationError(code, at({ file, line }, detail));
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
    const malformed = (expected: string) =>
      fail('NOT_WELL_FORMED', line, `"${shorten(content)}" was found, expected ${expected}`);
    if (option === null) return malformed('[section], key: value or key = value');
    if (section === null) return malformed('a [section] first');
    const [, key = '', value = ''] = option;
    const name = `${section}.${key}`;
    const before = seen.get(name);
    if (before !== undefined) fail('DUPLICATE_KEY', line, `${name} is already set in line ${before}`);
    seen.set(name, line);
    last = { file, line, section, key, value };
    entries.push(last);
  }
  return entries;
}
