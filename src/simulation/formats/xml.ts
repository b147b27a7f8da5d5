import { createRequire } from 'node:module';
import { TraceError, type TraceErrorCode } from '../errors.ts';
import { boundedChunks, type TextSource } from './source.ts';

const load = createRequire(import.meta.url);

/** The content that an element may have. */
export interface ElementRule {
  readonly required?: readonly string[];
  readonly optional?: readonly string[];
  readonly children?: readonly string[];
  /** Children that may occur more than once. */
  readonly many?: readonly string[];
  readonly text?: boolean;
  /** Whether any attributes and content are allowed; all of it is ignored. */
  readonly open?: boolean;
}

export type Grammar = Readonly<Record<string, ElementRule>>;

/** An element with its attributes, while it is open. */
export interface Element {
  readonly name: string;
  readonly parent: Element | null;
  readonly line: number;
  readonly attributes: Readonly<Record<string, string>>;
  /** Names of its children, each once. */
  readonly children: string[];
  text: string;
}

export interface ElementHandler {
  open(element: Element): void;
  close(element: Element): void;
}

/**
 * Walks through an XML file and checks it against a grammar: elements, attributes and how often they may occur. The
 * order of siblings does not matter. Documents with a DOCTYPE are refused, so that entities can neither grow without
 * bound nor reach other files. Returns the number of the last line. Throws TraceError.
 */
export function walkXml(
  source: TextSource,
  grammar: Grammar,
  roots: readonly string[],
  handler: ElementHandler,
): number {
  // Loaded only when it is needed: its tables take longer to make than a short trace in another format to read.
  const { SaxesParser } = load('saxes') as typeof import('saxes');
  const parser = new SaxesParser({ position: true });
  let current: Element | null = null;
  const ruleOf = ({ name }: Element) => grammar[name] as ElementRule;

  const fail = (code: TraceErrorCode, line: number, detail: string): never => {
    throw new TraceError(code, source.name, line, detail);
  };

  parser.on('error', (error) => {
    const detail = error.message.replace(/^\d+:\d+: /, '').replace(/\.$/, '');
    if (detail.startsWith('unclosed tag') && current !== null) {
      const { name, line: from } = current;
      fail('NOT_WELL_FORMED', parser.line, `the file ends within <${name}> of line ${from}, expected </${name}>`);
    }
    const open = current === null ? '' : ` in <${current.name}> of line ${current.line}`;
    fail('NOT_WELL_FORMED', parser.line, `not well-formed XML${open}: ${detail}`);
  });
  parser.on('doctype', () => {
    fail('DOCTYPE_NOT_ALLOWED', parser.line, 'a DOCTYPE was found, expected a document without one');
  });
  let line = 1;
  parser.on('opentagstart', () => {
    line = parser.line;
  });
  /** The number of open elements within one that may hold anything. */
  let ignored = 0;
  parser.on('opentag', (tag) => {
    if (ignored > 0 || (current !== null && ruleOf(current).open === true)) {
      ignored += 1;
      return;
    }
    const attributes = tag.attributes as Record<string, string>;
    const element: Element = {
      name: tag.name,
      parent: current,
      line,
      attributes,
      children: [],
      text: '',
    };
    checkElement(element, current === null ? { children: roots } : ruleOf(current));
    if (current?.children.includes(tag.name) === false) current.children.push(tag.name);
    current = element;
    handler.open(element);
  });
  parser.on('text', (text) => {
    if (current === null) return;
    const rule = ruleOf(current);
    if (rule.open === true) return;
    if (rule.text === true) current.text += text;
    else if (text.trim() !== '') {
      fail(
        'UNEXPECTED_CONTENT',
        parser.line,
        `text "${shorten(text.trim())}" was found in <${current.name}>, expected none`,
      );
    }
  });
  parser.on('cdata', (text) => {
    if (current !== null && ruleOf(current).text === true) current.text += text;
  });
  parser.on('closetag', () => {
    if (ignored > 0) {
      ignored -= 1;
      return;
    }
    const element = current as Element;
    handler.close(element);
    current = element.parent;
  });

  const checkElement = ({ name, parent, line, attributes }: Element, parentRule: ElementRule) => {
    const once = parentRule.children?.includes(name) === true;
    if (!once && parentRule.many?.includes(name) !== true) {
      const allowed = [...(parentRule.children ?? []), ...(parentRule.many ?? [])];
      const where = parent === null ? "as the document's root" : `in <${parent.name}>`;
      const expected = allowed.length === 0 ? 'an empty element' : allowed.map((child) => `<${child}>`).join(', ');
      fail('UNEXPECTED_CONTENT', line, `<${shorten(name)}> was found ${where}, expected ${expected}`);
    }
    if (once && parent?.children.includes(name) === true) {
      fail('UNEXPECTED_CONTENT', line, `a second <${name}> was found in <${parent.name}>, expected one`);
    }
    const rule = grammar[name] as ElementRule;
    if (rule.open === true) return;
    const { required = [], optional = [] } = rule;
    for (const attribute of required) {
      if (attributes[attribute] === undefined) {
        fail('MISSING_CONTENT', line, `<${name}> has no attribute "${attribute}", expected one`);
      }
    }
    for (const attribute in attributes) {
      if (required.includes(attribute) || optional.includes(attribute)) continue;
      if (/^(xmlns|xml|xsi)(:|$)/.test(attribute)) continue;
      const expected = [...required, ...optional].join(', ') || 'none';
      fail('UNEXPECTED_CONTENT', line, `<${name}> has an attribute "${shorten(attribute)}", expected ${expected}`);
    }
  };

  for (const chunk of boundedChunks(source)) parser.write(chunk);
  const lastLine = parser.line;
  parser.close();
  return lastLine;
}

/** Text as it may appear in an error message. */
export function shorten(text: string): string {
  const start = text.length <= 60 ? text : `${text.slice(0, 57)}...`;
  return start.replace(/\p{Cc}/gu, '\uFFFD');
}
