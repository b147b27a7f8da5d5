import { at, ConfigurationError, hint, type Origin } from '../error.ts';
import type { ConfigEntry } from './ini.ts';
import { deadline, haizeaOptions, ignored } from './options.ts';

/** One value for a native key, with the place that it comes from. */
export interface Setting {
  readonly path: readonly string[];
  readonly value: unknown;
  readonly origin: Origin;
}

export interface Translated {
  readonly settings: readonly Setting[];
  readonly warnings: readonly string[];
}

/** Options of a Haizea configuration as settings of native keys. Throws ConfigurationError. */
export function translate(entries: readonly ConfigEntry[]): Translated {
  const settings: Setting[] = [];
  const warnings: string[] = [];
  for (const { file, line, section, key, value } of entries) {
    const name = `${section}.${key}`;
    const origin = { file, line, name };
    const options = Object.hasOwn(haizeaOptions, section) ? haizeaOptions[section] : undefined;
    if (options === undefined) {
      const known = Object.keys(haizeaOptions).join(', ');
      const detail = `${name}: unknown section; known sections are ${known}`;
      throw new ConfigurationError('UNKNOWN_SECTION', at(origin, detail));
    }
    const option = Object.hasOwn(options, key) ? options[key] : undefined;
    if (option === undefined) {
      const detail = `${name}: unknown key; ${hint(key, Object.keys(options))}`;
      throw new ConfigurationError('UNKNOWN_KEY', at(origin, detail));
    }
    if (option === ignored) warnings.push(at(origin, `${name} has no meaning in a simulation here`));
    try {
      for (const [path, converted] of option(value)) settings.push({ path, value: converted, origin });
    } catch (error) {
      if (!(error instanceof ConfigurationError)) throw error;
      throw new ConfigurationError(error.code, at(origin, `${name}: ${error.message}`));
    }
  }
  const asked = entries.filter(({ section, key, value }) => {
    return section === 'scheduling' && (key === 'mapper' || key === 'policy-preemption') && value === deadline;
  });
  const [first] = asked;
  if (first) {
    const isPolicySet = entries.some(({ section, key }) => section === 'scheduling' && key === 'policy-preemption');
    if (!isPolicySet) {
      const origin = { file: first.file, line: first.line, name: 'scheduling.mapper' };
      settings.push({ path: ['scheduler', 'preemption'], value: 'ar-preempts-everything', origin });
    }
    const names = asked.map(({ key }) => `scheduling.${key}`).join(' and ');
    const meaning = 'means ar-preempts-everything here; leases with a deadline are scheduled in any case';
    warnings.push(at({ file: first.file, line: first.line }, `${names}: ${deadline} ${meaning}`));
  }
  return { settings, warnings };
}

/** What a Haizea configuration must set, always or because of another option. Throws ConfigurationError. */
export function requireOptions(file: string, entries: readonly ConfigEntry[]): void {
  const values = new Map(entries.map(({ section, key, value }) => [`${section}.${key}`, value]));
  const need = (name: string, why = 'always required') => {
    if (values.has(name)) return;
    throw new ConfigurationError('MISSING_KEY', at({ file, line: null }, `${name}: is missing (${why})`));
  };
  const when = (name: string, value: string, ...needed: readonly string[]) => {
    if (values.get(name) === value) for (const each of needed) need(each, `${name} is ${value}`);
  };
  need('general.mode');
  need('simulation.resources');
  need('scheduling.suspension');
  when('simulation.clock', 'simulated', 'simulation.starttime');
  const rates = ['scheduling.suspend-rate', 'scheduling.resume-rate'];
  when('scheduling.suspension', 'all', ...rates);
  when('scheduling.suspension', 'serial-only', ...rates);
  when('scheduling.backfilling', 'intermediate', 'scheduling.backfilling-reservations');
  when(
    'general.lease-preparation',
    'imagetransfer',
    'simulation.imagetransfer-bandwidth',
    'deploy-imagetransfer.transfer-mechanism',
  );
  if (values.get('general.lease-preparation') !== 'imagetransfer') return;
  when('deploy-imagetransfer.diskimage-reuse', 'image-caches', 'deploy-imagetransfer.diskimage-cache-size');
}
