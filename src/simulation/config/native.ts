import { isMap, isScalar, isSeq, LineCounter, type Node, type Pair, parseDocument } from 'yaml';
import { ConfigError } from '../errors.ts';
import { shorten } from '../formats/xml.ts';
import { type ConfigEntry, dottedName, type OptionName } from './option-values.ts';
import { OPTIONS } from './options.ts';

/** `suspend-rate` as `suspendRate`: the native form names options as Haizea does, in camel case. */
function camelCase(name: string): string {
  return name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
}

export const nativeName: OptionName = (section, key) => dottedName(camelCase(section), camelCase(key));

/**
 * Reads the native form: sections of options in YAML or JSON. Lists stand for words, mappings for `name=value` pairs. Throws
 * ConfigError.
 */
export function parseNative(file: string, text: string): ConfigEntry[] {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const lineOf = (node: unknown) => {
    const offset = (node as Node | null)?.range?.[0];
    return offset === undefined ? null : lines.linePos(offset).line;
  };
  const [error] = document.errors;
  if (error !== undefined) {
    const line = lines.linePos(error.pos[0]).line;
    throw new ConfigError('NOT_WELL_FORMED', file, line, `not well-formed YAML: ${error.message}`);
  }
  if (document.contents === null) return [];
  const entries: ConfigEntry[] = [];
  for (const [section, options] of pairsOf(document.contents, 'sections of options')) {
    for (const [key, value] of pairsOf(options.value, `options of ${section}`)) {
      entries.push({
        file,
        line: lineOf(value.key),
        section: originalName(section, Object.keys(OPTIONS)),
        key: originalName(key, keysOf(section)),
        value: plainText(value.value, `${section}.${key}`),
      });
    }
  }
  return entries;

  function pairsOf(node: unknown, expected: string): [string, Pair][] {
    if (isScalar(node) && node.value === null) return [];
    if (!isMap(node)) fail(node, `${shorten(String(node))} was found, expected ${expected}`);
    return node.items.map((pair) => [String(isScalar(pair.key) ? pair.key.value : pair.key), pair]);
  }

  function plainText(node: unknown, name: string): string {
    if (isSeq(node)) return node.items.map((item) => plainText(item, name)).join(' ');
    if (isMap(node))
      return pairsOf(node, name)
        .map(([key, pair]) => `${key}=${plainText(pair.value, name)}`)
        .join(',');
    if (isScalar(node)) return node.value === null ? 'none' : String(node.source ?? node.value);
    return fail(node, `${name} has no plain value, expected one`);
  }

  function fail(node: unknown, detail: string): never {
    throw new ConfigError('INVALID_VALUE', file, lineOf(node), detail);
  }
}

function keysOf(section: string): string[] {
  const name = originalName(section, Object.keys(OPTIONS));
  return Object.keys((OPTIONS as Record<string, object>)[name] ?? {});
}

/** The option of that camel-case name; a name that is none stays as it is and is refused later. */
function originalName(name: string, known: readonly string[]): string {
  return known.find((original) => camelCase(original) === name) ?? name;
}
