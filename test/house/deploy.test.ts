/** The files of deploy/ fit the program. */
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { filesUnder, read } from './sources.ts';

interface Alerts {
  readonly groups: readonly {
    readonly rules: readonly { readonly alert: string; readonly expr: string }[];
  }[];
}

const alerts = (parse(read('deploy/prometheus/alerts.yml')) as Alerts).groups.flatMap(({ rules }) => rules);

test('metrics that are queried exist', () => {
  const documented = new Set(read('docs/engine.md').match(/leasegraph_\w+/g));
  const queried = ['deploy/prometheus/alerts.yml', 'deploy/grafana/leasegraph.json'].flatMap(
    (path) => read(path).match(/leasegraph_\w+/g) ?? [],
  );
  const unknown = queried.filter((name) => !documented.has(name.replace(/_bucket$/, '')));
  expect(queried.length).toBeGreaterThan(10);
  expect([...new Set(unknown)]).toEqual([]);
});

test('every alert is explained', () => {
  const page = read('docs/deployment.md');
  expect(alerts.filter(({ alert }) => !page.includes(alert)).map(({ alert }) => alert)).toEqual([]);
});

test('every file is mentioned', () => {
  const page = read('docs/deployment.md');
  const files = ['.yml', '.json', '.service', 'Dockerfile'].flatMap((ending) => filesUnder('deploy', ending));
  expect(files.length).toBe(5);
  for (const file of files) expect(page).toContain(file.replace(/^deploy\/(prometheus|grafana)\//, ''));
});

test('the image starts what the build makes', () => {
  const dockerfile = read('deploy/Dockerfile');
  const { bin } = JSON.parse(read('package.json')) as { bin: { leasegraph: string } };
  expect(dockerfile).toContain(`CMD ["node", "${bin.leasegraph}", "serve"]`);
  expect(read('deploy/leasegraph.service')).toContain(`${bin.leasegraph} serve`);
});
