import { expect, test } from 'vitest';
import { mutants } from '../../scripts/mutants/list.ts';
import { filesUnder, read, sources } from './sources.ts';

test('a source is short enough to be read', () => {
  const long = sources
    .map(({ path, text }) => ({ path, lines: text.split('\n').length - 1 }))
    .filter(({ lines }) => lines > 400);
  expect(long).toEqual([]);
});

test('nothing is left unfinished', () => {
  const mark = /\b(todo|fixme|xxx|not implemented|placeholder(?!=)|stub(bed)?)\b/i;
  const found = sources.flatMap(({ path, text }) =>
    text.split('\n').flatMap((line, index) => (mark.test(line) ? [`${path}:${index + 1}: ${line.trim()}`] : [])),
  );
  expect(found).toEqual([]);
});

test('every mutant applies to its file', () => {
  const astray = mutants.filter(({ file, find }) => read(file).split(find).length !== 2);
  expect(astray.map(({ file, name }) => `${file}: ${name}`)).toEqual([]);
});

test('no test is focused or skipped by hand', () => {
  const byHand = /\b(it|test|describe)(\.\w+)*\.(skip|only|todo|fails)\b/;
  const found = filesUnder('test', '.test.ts').filter((path) => byHand.test(read(path)));
  expect(found).toEqual([]);
});

test('comments wrap at 120', () => {
  const long = sources.flatMap(({ path, text }) =>
    text
      .split('\n')
      .flatMap((line, index) =>
        /^\s*(\/\/|\*|\/\*\*)/.test(line) && line.length > 120 ? [`${path}:${index + 1}`] : [],
      ),
  );
  expect(long).toEqual([]);
});
