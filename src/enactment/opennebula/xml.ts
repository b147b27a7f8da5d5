import { SaxesParser } from 'saxes';

export interface Element {
  readonly name: string;
  readonly children: Element[];
  /** Its own, between the children. */
  text: string;
}

/** Throws for XML that is not well-formed. */
export function parseXml(source: string): Element {
  const top: Element = { name: '', children: [], text: '' };
  const open = [top];
  const parser = new SaxesParser();
  const last = (): Element => open.at(-1) ?? top;
  const addText = (text: string): void => {
    last().text += text;
  };
  parser.on('opentag', ({ name }) => {
    const element: Element = { name, children: [], text: '' };
    last().children.push(element);
    open.push(element);
  });
  parser.on('closetag', () => void open.pop());
  parser.on('text', addText);
  parser.on('cdata', addText);
  parser.write(source).close();
  const [root] = top.children;
  if (!root) throw new Error('there is no element');
  return root;
}

export const child = (element: Element | undefined, name: string): Element | undefined =>
  element?.children.find((each) => each.name === name);

/** The text at a path of names; empty where there is none. */
export function textAt(element: Element, ...path: readonly string[]): string {
  let at: Element | undefined = element;
  for (const name of path) at = child(at, name);
  return at?.text.trim() ?? '';
}

export function escapeXml(text: string): string {
  const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
  return text
    .replaceAll(/[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu, '')
    .replaceAll(/[&<>]/g, (character) => entities[character] ?? '');
}
