import type { Command } from 'commander';
import { siteOption } from '../../config/index.ts';
import { writeLwf } from '../../simulation/formats/lwf-writer.ts';
import { loadWorkload } from '../../simulation/load.ts';
import { expectApart, expectWritable, writeFileWhole } from '../files.ts';
import type { Terminal } from '../terminal.ts';
import { addTraceOptions, type TraceOptions, workloadFiles } from '../trace-options.ts';

interface ConvertOptions extends TraceOptions {
  readonly json?: boolean;
}

export default function convert(command: Command, terminal: Terminal): void {
  command
    .argument('<in>', 'a trace: LWF XML, SWF, text LWF or CSV')
    .argument('<out>', 'the LWF XML file to write; - is standard output')
    .option('--json', 'tell what was written as JSON')
    .action((input: string, output: string, options: ConvertOptions) => {
      if (output !== '-') {
        expectApart([output], [input, options.inject, options.images]);
        expectWritable(output);
      }
      const site = options.site === undefined ? null : siteOption(options.site);
      const { workload, warnings } = loadWorkload(workloadFiles(input, options), site);
      for (const warning of warnings) terminal.err(`leasegraph: warning: ${warning}\n`);
      if (output === '-') {
        for (const piece of writeLwf(workload)) terminal.out(piece);
        return;
      }
      writeFileWhole(output, writeLwf(workload));
      const leases = workload.leases.length;
      const nodes = workload.site?.nodes.length ?? null;
      terminal.out(
        options.json === true
          ? `${JSON.stringify({ output, leases, nodes })}\n`
          : `${output}: ${leases} leases, ${nodes === null ? 'no site' : `a site of ${nodes} nodes`}\n`,
      );
    });
  addTraceOptions(command);
}
