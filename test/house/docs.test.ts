/** What README and docs say is true. */
import { existsSync } from 'node:fs';
import { join, posix } from 'node:path';
import { buildSchema, getVariableValues, Kind, parse, validate } from 'graphql';
import { describe, expect, test } from 'vitest';
import { cli } from '../cli/terminal.ts';
import { filesUnder, read, root, sources } from './sources.ts';

const pages = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  ...filesUnder('docs', '.md'),
  ...filesUnder('bench', '.md'),
];
const blocks = (path: string, language: string): string[] =>
  [...read(path).matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(([, text]) => text ?? '');

/** As a page's headings are addressed. */
const anchors = (path: string): string[] =>
  [...read(path).matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );

describe('links', () => {
  test.each(pages)('%s', (page) => {
    const prose = read(page).replaceAll(/^```[\s\S]*?^```/gm, '');
    const broken = [...prose.matchAll(/\]\(([^)\s]+)\)/g)]
      .map(([, target = '']) => target)
      .filter((target) => !/^https?:/.test(target))
      .filter((target) => {
        const [file = '', anchor] = target.split('#');
        const path = file === '' ? page : posix.join(posix.dirname(page), file);
        if (!existsSync(join(root, path))) return true;
        return anchor !== undefined && !anchors(path).includes(anchor);
      });
    expect(broken).toEqual([]);
  });

  test('files and folders that pages name exist', () => {
    const missing = pages.flatMap((page) =>
      [...read(page).matchAll(/`((?:src|test|prisma|docs|scripts|bench)\/[\w./-]+)`/g)].flatMap(([, path = '']) =>
        existsSync(join(root, path)) ? [] : [`${page} -> ${path}`],
      ),
    );
    expect(missing).toEqual([]);
  });

  test('pages that the sources refer to exist', () => {
    const missing = sources.flatMap(({ path, text }) =>
      [...text.matchAll(/\b(?:docs|bench)\/[\w/.-]+\.md/g)].flatMap(([page]) =>
        existsSync(join(root, page)) ? [] : [`${path} -> ${page}`],
      ),
    );
    expect(missing).toEqual([]);
  });

  test('the index of docs names every page', () => {
    const index = read('docs/README.md');
    const unnamed = filesUnder('docs', '.md')
      .map((path) => posix.relative('docs', path))
      .filter((path) => path !== 'README.md' && !index.includes(`(${path})`));
    expect(unnamed).toEqual([]);
  });
});

test.each(pages)('lines of %s wrap at 120', (page) => {
  const prose = read(page).replaceAll(/^```[\s\S]*?^```/gm, '');
  // Rows of tables and pictures cannot be wrapped.
  const long = prose.split('\n').filter((line) => [...line].length > 120 && !/^(\||!\[)/.test(line));
  expect(long).toEqual([]);
});

describe('GraphQL', () => {
  const schema = buildSchema(read('schema.graphql'));

  test.each(pages.flatMap((page) => blocks(page, 'graphql').map((text) => [page, text] as const)))(
    '%s, block %#',
    (_, text) => {
      expect(validate(schema, parse(text))).toEqual([]);
    },
  );

  const bodies = pages.flatMap((page) =>
    blocks(page, 'sh').flatMap((text) =>
      [...text.matchAll(/^curl [^']*(?:'[^']*'[^']*)*?-d '([^']*)'/gm)].map(([, body = '']) => [page, body] as const),
    ),
  );

  test('there is something to copy', () => expect(bodies.length).toBeGreaterThan(0));

  test.each(bodies)('%s, curl %#', (_, body) => {
    const { query, variables = {} } = JSON.parse(body) as {
      query: string;
      variables?: Record<string, unknown>;
    };
    const document = parse(query);
    expect(validate(schema, document)).toEqual([]);
    const declared = document.definitions.flatMap((each) =>
      each.kind === Kind.OPERATION_DEFINITION ? (each.variableDefinitions ?? []) : [],
    );
    expect(getVariableValues(schema, declared, variables).errors).toBeUndefined();
  });
});

describe('the command line', () => {
  test('scripts that are named exist', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    const missing = [...pages, ...filesUnder('test', '.ts'), ...filesUnder('src', '.ts')].flatMap((path) =>
      [...read(path).matchAll(/\bnpm run (?:--silent )?([a-z][a-z-]*)/g)].flatMap(([, name = '']) =>
        name in scripts ? [] : [`${path} -> npm run ${name}`],
      ),
    );
    expect(missing).toEqual([]);
  });

  // Loads the modules of all commands.
  test('every command has its line in docs/command-line.md, and help', { timeout: 120_000 }, async () => {
    const { out } = await cli('--help');
    const commands = [...(out.split('Commands:')[1] ?? '').matchAll(/^ {2}(\w+)/gm)]
      .map(([, name = '']) => name)
      .filter((name) => name !== 'help');
    expect(commands.length).toBeGreaterThan(0);
    const page = read('docs/command-line.md');
    expect(commands.filter((name) => !page.includes(`\n- \`leasegraph ${name}\`:`))).toEqual([]);
    const help = await Promise.all(commands.map((name) => cli(name, '--help')));
    for (const [index, name] of commands.entries()) {
      expect(help[index]?.status, name).toBe(0);
      expect(help[index]?.out).toContain(`Usage: leasegraph ${name}`);
    }
  });

  test('what README shows of a trace is what comes out', async () => {
    const command = /^npm run --silent leasegraph -- (simulate docs\/examples\/first\.lwf .*)$/m.exec(
      read('README.md'),
    )?.[1];
    const [shown] = blocks('README.md', 'text');
    const { status, out, err } = await cli(...(command?.split(' ') ?? []));
    expect({ status, err }).toEqual({ status: 0, err: '' });
    const timeless = (text: string | undefined) => text?.replace(/in \d+\.\d+ s/, 'in … s').trim();
    expect(timeless(out)).toBe(timeless(shown));
  });
});
