import type { Command } from 'commander';
import { loadConfiguration, makeDataFolder } from '../../config/index.ts';
import { migrateStore } from '../../store/index.ts';
import { addNotes } from '../help.ts';
import type { Terminal } from '../terminal.ts';

export default function migrate(command: Command, terminal: Terminal): void {
  addNotes(
    command,
    terminal,
    'The database is the one that DATABASE_URL names, or the embedded one in LEASEGRAPH_DATA_DIR. `serve` migrates by itself.',
  );
  command.option('--json', 'print JSON').action(async ({ json }: { readonly json?: boolean }) => {
    const { databaseUrl, dataDir } = loadConfiguration(process.env);
    if (databaseUrl === null) makeDataFolder(dataDir);
    const applied = await migrateStore({ databaseUrl, dataDir });
    if (json) terminal.out(`${JSON.stringify({ applied })}\n`);
    else terminal.out(applied.length === 0 ? 'The database is up to date.\n' : `Applied: ${applied.join(', ')}\n`);
  });
}
