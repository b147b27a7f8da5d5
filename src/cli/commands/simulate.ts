import type { Command } from 'commander';
import { loadConfig } from '../simulate/config.ts';
import { addOverrides, readOverrides } from '../simulate/overrides.ts';
import { ProgressBar } from '../simulate/progress.ts';
import { formatReport } from '../simulate/report.ts';
import { failureOf, run } from '../simulate/run.ts';
import { CliError, type Terminal } from '../terminal.ts';
import { addTraceOptions, type TraceOptions, wholeNumber, workloadFiles } from '../trace-options.ts';

interface SimulateOptions extends TraceOptions {
  readonly config?: string;
  readonly cancel?: string;
  readonly output?: string;
  readonly gantt?: string;
  readonly json?: boolean;
  readonly multi?: string;
  readonly outputDir?: string;
  readonly jobs?: number;
}

export default function simulate(command: Command, terminal: Terminal): void {
  command
    .argument(
      '[trace]',
      'a trace: LWF XML, SWF, text LWF or CSV (default: the one that the configuration names)',
    )
    .option('--config <file>', "Haizea's INI form (.conf), or YAML/JSON")
    .option('--cancel <file>', "users' cancellations: lines TIME LEASE")
    .option('--output <file>', 'write every lease, reservation and event as JSON')
    .option('--gantt <file>', 'draw the schedule as SVG')
    .option('--json', 'print the summary as JSON')
    .option('--multi <file>', 'run every combination of a multi-configuration, on all cores')
    .option('--output-dir <folder>', "with --multi: where results go (default: the file's datadir)")
    .option('--jobs <n>', 'with --multi: runs at a time (default: as many as there are cores)', wholeNumber)
    .action(async (trace: string | undefined, options: SimulateOptions) => {
      if (options.multi !== undefined) {
        refuse(options, trace, ['config', 'inject', 'output', 'gantt'], '--multi');
        const { runMatrix } = await import('../simulate/multi.ts');
        await runMatrix(options.multi, options, readOverrides(command), terminal);
      } else {
        refuse(options, undefined, ['outputDir', 'jobs'], 'a single run');
        await runSingle(trace, options, command, terminal);
      }
    });
  addTraceOptions(command);
  addOverrides(command);
}

function refuse(
  options: SimulateOptions,
  trace: string | undefined,
  names: readonly (keyof SimulateOptions)[],
  what: string,
): void {
  if (trace !== undefined) throw new CliError(`a trace ("${trace}") does not go with ${what}`, 2);
  const given = names.find((name) => options[name] !== undefined);
  if (given === undefined) return;
  const flag = given.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  throw new CliError(`--${flag} does not go with ${what}`, 2);
}

async function runSingle(
  trace: string | undefined,
  options: SimulateOptions,
  command: Command,
  terminal: Terminal,
): Promise<void> {
  const config = await loadConfig(options.config ?? null, readOverrides(command));
  const progress = new ProgressBar(terminal, 'leases');
  const { trace: _, ...files } = workloadFiles('', options);
  const report = await run(
    {
      config,
      files: { ...files, trace: trace ?? null, cancel: options.cancel ?? null, site: options.site ?? null },
      output: options.output ?? null,
      gantt: options.gantt ?? null,
    },
    terminal.interactive ? (done, total) => progress.show(done, total) : undefined,
  ).finally(() => progress.clear());
  for (const warning of report.warnings) terminal.err(`leasegraph: warning: ${warning}\n`);
  terminal.out(options.json === true ? `${JSON.stringify(report)}\n` : formatReport(report));
  const failure = failureOf(report);
  if (failure !== null) throw new CliError(failure);
}
