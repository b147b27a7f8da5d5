import type { Command } from 'commander';
import { loadConfiguration, loadPolicies } from '../../config/index.ts';
import { examine, schedulerWith } from '../../engine/index.ts';
import { openStore } from '../../store/index.ts';
import { addNotes } from '../help.ts';
import { CliError, type Terminal } from '../terminal.ts';

export default function check(command: Command, terminal: Terminal): void {
  addNotes(
    command,
    terminal,
    'The database is the one that DATABASE_URL names (a server may be using it), or the embedded one in LEASEGRAPH_DATA_DIR (no server may be using it).',
    'The exit status is 0 when nothing is wrong.',
  );
  command.option('--json', 'print JSON').action(async ({ json }: { readonly json?: boolean }) => {
    const { databaseUrl, dataDir, scheduler } = loadConfiguration(process.env);
    const store = await openStore({ databaseUrl, dataDir, asItIs: true });
    try {
      const stored = await store.load();
      if (stored === null) throw new CliError('the database holds no site yet: there is nothing to check');
      const restore = schedulerWith(await loadPolicies(scheduler));
      const { faults } = await examine(stored, scheduler, restore);
      const unreadable = stored.unreadable.map(({ message }) => message);
      const { leases, reservations } = stored.snapshot;
      if (json) {
        terminal.out(
          `${JSON.stringify({ site: stored.name, leases: leases.length, reservations: reservations.length, unreadable, faults })}\n`,
        );
      } else {
        for (const message of unreadable) terminal.out(`unreadable: ${message}\n`);
        for (const { code, message } of faults) terminal.out(`${code}: ${message}\n`);
        terminal.out(
          `Site "${stored.name}": ${leases.length} live leases with ${reservations.length} reservations; ${unreadable.length + faults.length} problems.\n`,
        );
      }
      if (unreadable.length + faults.length > 0) throw new CliError('what is stored is not sound: see above');
    } finally {
      await store.close();
    }
  });
}
