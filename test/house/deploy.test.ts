/** The files of deploy/ fit the program. */
import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { createEngineMetrics } from '../../src/engine/metrics.ts';
import { createFanOutMetrics } from '../../src/server/subscriptions/fan-out/metrics.ts';
import { filesUnder, read, sources } from './sources.ts';

interface Alerts {
  readonly groups: readonly {
    readonly rules: readonly { readonly alert: string; readonly expr: string }[];
  }[];
}

const alerts = (parse(read('deploy/prometheus/alerts.yml')) as Alerts).groups.flatMap(({ rules }) => rules);

/** The names of metrics in a text, once each. */
const metricsIn = (text: string): string[] =>
  [...new Set((text.match(/leasegraph_\w+/g) ?? []).map((name) => name.replace(/_(bucket|count)$/, '')))].sort();

/** The metrics of the program: those that are named in full, and those of two files that put their names together. */
function metricNames(): string[] {
  const inFull = sources.flatMap(({ code }) =>
    [...code.matchAll(/name: '(leasegraph_\w+)',\s+help:/g)].map(([, name]) => name as string),
  );
  const registry = new Registry();
  createEngineMetrics(registry);
  createFanOutMetrics(registry);
  const putTogether = sources.filter(({ code }) => code.includes('name: `leasegraph_')).map(({ path }) => path);
  expect(putTogether).toEqual(['src/engine/metrics.ts', 'src/server/subscriptions/fan-out/metrics.ts']);
  return [...new Set([...inFull, ...registry.getMetricsAsArray().map(({ name }) => name)])].sort();
}

const section = (page: string, from: string, to: string): string =>
  page.slice(page.indexOf(from), page.indexOf(to, page.indexOf(from)));

test('the page of metrics has those that exist', () => {
  expect(metricNames().length).toBeGreaterThan(40);
  expect(metricsIn(section(read('docs/engine.md'), '\n## Metrics', '\n## Tests'))).toEqual(metricNames());
});

test('every metric has an alert rule, or is named among those without', () => {
  const page = read('docs/operations.md');
  const withRule = metricsIn(alerts.map(({ expr }) => expr).join('\n'));
  const without = metricsIn(section(page, 'so they have no rule', '\n\n'));
  expect([...withRule, ...without].sort()).toEqual(metricNames());
  // The page says when each rule fires.
  expect(metricsIn(section(page, '| of | alert when |', '\n\n'))).toEqual(withRule);
});

test('metrics that the dashboard shows exist', () => {
  const shown = metricsIn(read('deploy/grafana/leasegraph.json'));
  expect(shown.length).toBeGreaterThan(10);
  expect(shown.filter((name) => !metricNames().includes(name))).toEqual([]);
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
