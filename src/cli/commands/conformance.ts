import { resolve } from 'node:path';
import type { Command } from 'commander';
import { type Configuration, defaultAdapter, defaultConfiguration, readConfigurationFile } from '../../config/index.ts';
import { benchOf, type CaseResult, openNebulaDoubleBench, runConformance } from '../../enactment/conformance/index.ts';
import type { AdapterConfig } from '../../enactment/index.ts';
import { createLogger } from '../../server/logging.ts';
import { addNotes } from '../help.ts';
import { CliError, type Terminal } from '../terminal.ts';

interface ConformanceOptions {
  readonly config?: string;
  readonly image?: string;
  readonly json?: boolean;
}

export default function conformance(command: Command, terminal: Terminal): void {
  addNotes(
    command,
    terminal,
    'The suite starts, suspends, moves and removes small machines of its own on the first two nodes that the adapter drives. Other machines are left alone.',
    'The exit status is 0 when no case failed.',
  );
  command
    .argument('<adapter>', 'simulated, dry-run, command, libvirt, opennebula, or the path of a module')
    .option('--config <file>', 'configuration, YAML or JSON: its adapter of that kind, and its nodes')
    .option('--image <name>', 'the image that the machines start from (default: none)')
    .option('--json', 'print JSON')
    .action(async (name: string, options: ConformanceOptions) => {
      const config = options.config === undefined ? defaultConfiguration() : readConfigurationFile(options.config);
      const log = await createLogger(process.env.LEASEGRAPH_LOG_LEVEL ?? 'silent');
      const common = {
        image: options.image === undefined ? null : { name: options.image, sizeMb: 1 },
        capacity: { CPU: 100, Memory: 64 },
        log,
      };
      const isDouble = name === 'opennebula' && options.config === undefined;
      const bench = isDouble
        ? await openNebulaDoubleBench(common)
        : benchOf({ ...common, adapter: adapterOf(name, config), nodes: config.site?.spec.nodes ?? [] });
      let results: readonly CaseResult[];
      try {
        results = await runConformance(bench, (result) => options.json || terminal.out(`${lineOf(result)}\n`));
      } finally {
        await bench.close?.();
      }
      const count = (outcome: CaseResult['outcome']): number =>
        results.filter((result) => result.outcome === outcome).length;
      const failed = count('failed');
      if (options.json) terminal.out(`${JSON.stringify({ adapter: bench.name, cases: results })}\n`);
      else terminal.out(`${count('passed')} passed, ${failed} failed\n`);
      if (failed > 0) throw new CliError('');
    });
}

/** The configured adapter of that kind, or one with the defaults of its kind. */
function adapterOf(name: string, { adapters }: Configuration): AdapterConfig {
  if (/[/\\.]/.test(name)) {
    const path = resolve(name);
    return adapters.find((each) => each.kind === 'module' && each.path === path) ?? { kind: 'module', path };
  }
  const configured = adapters.find(({ kind }) => kind === name);
  if (configured) return configured;
  if (name === 'simulated' || name === 'dry-run') return { kind: name };
  if (name === 'libvirt') return defaultAdapter({ kind: 'libvirt', uri: 'test:///default' });
  throw new CliError(`${name} needs a configuration: --config FILE with an adapter of that kind`);
}

function lineOf({ name, outcome, message, duration }: CaseResult): string {
  const mark = { passed: 'ok', failed: 'FAILED', skipped: 'skipped' }[outcome];
  const detail = message === null ? '' : `\n        ${message.replaceAll('\n', '\n        ')}`;
  return `${mark.padEnd(8)}${name} (${(duration / 1_000).toFixed(1)} s)${detail}`;
}
