import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { yamlEscaped } from '../../src/enactment/libvirt/seed.ts';

test('any text between double quotes is read as it is by YAML, in both versions', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      for (const version of ['1.1', '1.2'] as const)
        expect(parse(`key: "${yamlEscaped(text)}"\n`, { version })).toEqual({
          key: text.replaceAll(/\p{Surrogate}/gu, '\uFFFD'),
        });
    }),
  );
});

test('no control character, line separator or half of a pair is left in it', () => {
  const text = 'a\u0000\n\r\t\u0007\u007f\u0085\u2028\u2029\ufeff\ud83d"\\🖥';
  expect(yamlEscaped(text)).toBe(
    'a\\u0000\\u000a\\u000d\\u0009\\u0007\\u007f\\u0085\\u2028\\u2029\\ufeff\uFFFD\\"\\\\🖥',
  );
});
