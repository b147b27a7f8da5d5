import type { Command } from 'commander';
import { addNotes } from '../help.ts';
import type { SimulateOptions } from '../simulate/command.ts';
import { addOverrides } from '../simulate/override-options.ts';
import type { Terminal } from '../terminal.ts';
import { addTraceOptions, wholeNumber } from '../trace-options.ts';

export default function simulate(command: Command, terminal: Terminal): void {
  addNotes(
    command,
    terminal,
    'Several traces, or several values with commas between them (--backfilling aggressive,conservative), run a comparison of all combinations.',
  );
  command
    .argument('[traces...]', 'traces: LWF XML, SWF, text LWF or CSV (default: the one that the configuration names)')
    .option('--config <file>', "Haizea's INI form (.conf), or YAML/JSON")
    .option('--cancel <file>', "users' cancellations: lines TIME LEASE")
    .option('--commands <file>', 'changes while the run goes on, as JSON Lines: updates, node states, maintenance')
    .option('--output <file>', 'write every lease, reservation and event as JSON')
    .option('--gantt <file>', 'draw the schedule as SVG; in a comparison the folder for the pictures')
    .option('--csv <file>', 'write one line per lease as CSV, in the form of Batsim and evalys')
    .option('--swf <file>', 'write what was executed as SWF')
    .option('--json', 'print the summary as JSON')
    .option('--multi <file>', 'compare every combination of a multi-configuration')
    .option('--output-dir <folder>', 'comparisons: where results go (default with --multi: as the file says)')
    .option('--jobs <n>', 'comparisons: runs at a time (default: the number of cores)', wholeNumber)
    .action(async (traces: readonly string[], options: SimulateOptions) => {
      // Loaded only now: the help needs neither the configuration nor the scheduler.
      const { runSimulate } = await import('../simulate/command.ts');
      await runSimulate(traces, options, command, terminal);
    });
  addTraceOptions(command);
  addOverrides(command);
}
