import { at } from './error.ts';
import {
  type Configuration,
  checkedForRun,
  type Draft,
  emptyDraft,
  isHaizeaForm,
  parseYaml,
  readText,
} from './file.ts';
import { type ConfigEntry, parseIni } from './haizea/ini.ts';
import { haizeaOptions } from './haizea/options.ts';
import { requireOptions, type Setting, translate } from './haizea/translate.ts';

/** The configuration of a simulation, with what its user should know of it. */
export interface RunConfiguration {
  /** Null: the defaults. */
  readonly file: string | null;
  readonly configuration: Pick<Configuration, 'site' | 'scheduler' | 'simulation'>;
  readonly warnings: readonly string[];
}

/**
 * Reads the configuration of a simulation, in the native form or in Haizea's, whichever the file holds; without a file
 * the defaults. Overrides win over it. Throws ConfigurationError.
 */
export function readRunConfiguration(path: string | null, overrides: readonly ConfigEntry[]): RunConfiguration {
  if (path === null) return nativeRun(emptyDraft, overrides);
  const text = readText(path);
  return isHaizeaForm(path, text)
    ? haizeaRun(path, parseIni(path, text), overrides)
    : nativeRun(parseYaml(path, text), overrides);
}

export function nativeRun(draft: Draft, overrides: readonly ConfigEntry[]): RunConfiguration {
  const { settings, warnings } = overriding(overrides);
  return {
    file: draft === emptyDraft ? null : draft.file,
    configuration: checkedForRun(draft, settings),
    warnings,
  };
}

/** The same of options that have been parsed already. */
export function haizeaRun(
  file: string,
  own: readonly ConfigEntry[],
  overrides: readonly ConfigEntry[],
): RunConfiguration {
  const entries = override(own, overrides.filter(isHaizea));
  requireOptions(file, entries);
  const { settings, warnings } = translate(entries);
  const native = overriding(overrides.filter((entry) => !isHaizea(entry)));
  const simulated = entries.some(
    ({ section, key, value }) => `${section}.${key}=${value}` === 'simulation.clock=simulated',
  );
  const real = at({ file, line: null }, 'simulation.clock is real: a simulation here always has its own clock');
  return {
    file,
    configuration: checkedForRun({ ...emptyDraft, file }, [...settings, ...native.settings]),
    warnings: [...(simulated ? [] : [real]), ...warnings],
  };
}

/** The entries, those of the same option replaced. */
export function override(entries: readonly ConfigEntry[], overrides: readonly ConfigEntry[]): ConfigEntry[] {
  const merged = new Map<string, ConfigEntry>();
  for (const entry of [...entries, ...overrides]) merged.set(`${entry.section}.${entry.key}`, entry);
  return [...merged.values()];
}

/** Options of the command line go by Haizea's names or by native ones, whose values are YAML. */
function overriding(overrides: readonly ConfigEntry[]): { settings: Setting[]; warnings: readonly string[] } {
  const { settings, warnings } = translate(overrides.filter(isHaizea));
  const native = overrides.filter((entry) => !isHaizea(entry));
  return {
    settings: [
      ...settings,
      ...native.map(({ file, line, section, key, value }) => ({
        path: [section, ...key.split('.')],
        value: parseYaml(file, `value: ${value}`).values.value,
        origin: { file, line, name: `${section}.${key}` },
      })),
    ],
    warnings,
  };
}

/** Whether an option of the command line goes by Haizea's name for it. */
function isHaizea({ section, key }: ConfigEntry): boolean {
  if (section === 'scheduler') return false;
  return section !== 'simulation' || Object.hasOwn(haizeaOptions.simulation ?? {}, key);
}
