import { describe, expect, it } from 'vitest';
import { formatTable } from '../../src/cli/table.ts';
import { plain, textWidth, wrap } from '../../src/cli/text.ts';

const columns = [
  { title: 'LEASE', align: 'right' as const },
  { title: 'NAME', drop: 1 },
  { title: 'TYPE', drop: 2 },
  { title: 'STATE' },
  { title: 'REASON', below: true as const },
];
const rows = [
  ['7', 'first', 'BEST_EFFORT', 'DONE', ''],
  ['12', '名前', 'IMMEDIATE', 'REJECTED', 'the site has no node with so much Memory'],
];

describe('a table', () => {
  it('has a column per title, and reasons on lines of their own', () => {
    expect(formatTable(columns, rows)).toBe(
      [
        'LEASE  NAME   TYPE         STATE',
        '    7  first  BEST_EFFORT  DONE',
        '   12  名前   IMMEDIATE    REJECTED',
        '    the site has no node with so much Memory',
        '',
      ].join('\n'),
    );
  });

  it('leaves out columns until it fits, and wraps reasons at blanks', () => {
    expect(formatTable(columns, rows, 24)).toBe(
      [
        'LEASE  NAME   STATE',
        '    7  first  DONE',
        '   12  名前   REJECTED',
        '    the site has no node',
        '    with so much Memory',
        '',
      ].join('\n'),
    );
    expect(formatTable(columns, rows, 10).split('\n')[0]).toBe('LEASE  STATE');
  });
});

describe('text from elsewhere', () => {
  it('moves no cursor, rings no bell and hides nothing', () => {
    expect(plain('a\u001B[2Jb\u0007c\u202Ed\u200Be\u2028f')).toBe('a\uFFFD[2Jb\uFFFDc\uFFFDd\uFFFDe\uFFFDf');
    expect(formatTable([{ title: 'NAME' }], [['x\u001B[31m\u202Ey']])).toBe('NAME\nx\uFFFD[31m\uFFFDy\n');
  });

  it('is as wide as a terminal draws it', () => {
    expect(['abc', '名前', 'e\u0301', '🙂'].map(textWidth)).toEqual([3, 4, 1, 2]);
  });

  it('is broken between words only', () => {
    expect(wrap('one two incomprehensibilities three', 9)).toEqual(['one two', 'incomprehensibilities', 'three']);
  });
});
