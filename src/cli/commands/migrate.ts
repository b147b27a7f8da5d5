import type { Command } from 'commander';
import { loadConfiguration, makeDataFolder } from '../../config/index.ts';
import { migrateStore } from '../../store/index.ts';
import type { Terminal } from '../terminal.ts';

export default function migrate(command: Command, terminal: Terminal): void {
  command
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nThe database is the one that DATABASE_URL names, or the embedded one in LEASEGRAPH_DATA_DIR. (`serve` migrates by itself.)',
    )
    .action(async ({ json }: { readonly json?: boolean }) => {
      const { databaseUrl, dataDir } = loadConfiguration(process.env);
      if (databaseUrl === null) makeDataFolder(dataDir);
      const applied = await migrateStore({ databaseUrl, dataDir });
      if (json) terminal.out(`${JSON.stringify({ applied })}\n`);
      else
        terminal.out(
          applied.length === 0 ? 'The database is up to date.\n' : `Applied: ${applied.join(', ')}\n`,
        );
    });
}
