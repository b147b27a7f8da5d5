import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parseDuration } from '../../src/config/index.ts';
import { defaultServerLimits } from '../../src/server/limits.ts';

it('documents the default of every limit', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/configuration.md'), 'utf8');
  const documented = Object.fromEntries(
    [...page.matchAll(/^\| `limits\.(\w+)` \| .* \| ([\w,]+) \|$/gm)].map(([, key = '', value = '']) => [
      key,
      value.startsWith('PT') ? parseDuration(value) : Number(value.replaceAll(',', '')),
    ]),
  );
  expect(documented).toEqual(defaultServerLimits);
});
