import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

it('has types for its operations that are current (npm run generate)', async () => {
  const cwd = fileURLToPath(new URL('../..', import.meta.url));
  const codegen = fileURLToPath(import.meta.resolve('@graphql-codegen/cli')).replace(
    /@graphql-codegen\/cli\/.*$/,
    '.bin/graphql-codegen',
  );
  const checked = promisify(execFile)(process.execPath, [codegen, '--config', 'codegen.yml', '--check'], {
    cwd,
  });
  await expect(checked).resolves.toBeDefined();
});
