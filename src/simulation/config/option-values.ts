import { ConfigError } from '../errors.ts';
import { shorten } from '../formats/xml.ts';
import { type Key, OPTIONS, type OptionType, type Section, type Value } from './options.ts';

/** One option as it stands in a file or on the command line. */
export interface ConfigEntry {
  readonly file: string;
  readonly line: number | null;
  readonly section: string;
  readonly key: string;
  readonly value: string;
}

export function dottedName(section: string, key: string): string {
  return `${section}.${key}`;
}

/** A configuration's options, checked one by one. */
export class OptionValues {
  readonly warnings: string[] = [];
  private readonly values = new Map<string, unknown>();

  /** Throws ConfigError for unknown sections and keys and for wrong values. */
  constructor(
    readonly file: string,
    entries: readonly ConfigEntry[],
  ) {
    for (const entry of entries) this.accept(entry);
  }

  get<S extends Section, K extends Key<S>>(section: S, key: K): Value<S, K> | undefined {
    return this.values.get(`${section}.${key}`) as Value<S, K> | undefined;
  }

  /** Throws ConfigError where the option is not set. `why` says when it must be. */
  require<S extends Section, K extends Key<S>>(section: S, key: K, why = ''): Value<S, K> {
    const value = this.get(section, key);
    if (value !== undefined) return value;
    const type = (OPTIONS[section] as Record<string, OptionType<unknown>>)[key] as OptionType<unknown>;
    throw new ConfigError(
      'MISSING_KEY',
      this.file,
      null,
      `${dottedName(section, key)} is not set${why === '' ? '' : ` (${why})`}, expected ${type.expected}`,
    );
  }

  private accept({ file, line, section, key, value }: ConfigEntry): void {
    const name = dottedName(section, key);
    const options: Record<string, OptionType<unknown>> | undefined = Object.hasOwn(OPTIONS, section)
      ? OPTIONS[section as Section]
      : undefined;
    if (options === undefined) {
      const known = Object.keys(OPTIONS).join(', ');
      throw new ConfigError(
        'UNKNOWN_SECTION',
        file,
        line,
        `unknown section in ${name}, expected one of ${known}`,
      );
    }
    const type = Object.hasOwn(options, key) ? options[key] : undefined;
    if (type === undefined) {
      throw new ConfigError(
        'UNKNOWN_KEY',
        file,
        line,
        `unknown option ${name}, expected ${this.closest(section, key, options)}`,
      );
    }
    const parsed = type.parse(value);
    if (parsed === undefined) {
      const detail = `${name} is "${shorten(value)}", expected ${type.expected}`;
      throw new ConfigError('INVALID_VALUE', file, line, detail);
    }
    if (type.noMeaning) {
      const where = line === null ? file : `${file}:${line}`;
      this.warnings.push(`${where}: ${name} has no meaning in a simulation here`);
    }
    this.values.set(`${section}.${key}`, parsed);
  }

  /** The one that was probably meant, or all that there are. */
  private closest(section: string, key: string, options: Record<string, unknown>): string {
    const names = Object.keys(options);
    const plain = (name: string) => name.toLowerCase().replace(/[^a-z]/g, '');
    const same = names.find((name) => plain(name) === plain(key));
    if (same !== undefined) return dottedName(section, same);
    return `one of ${names.map((name) => dottedName(section, name)).join(', ')}`;
  }
}
