import { type Command, InvalidArgumentError } from 'commander';
import { loadConfiguration, loadPolicies } from '../../config/index.ts';
import { examine, schedulerWith } from '../../engine/index.ts';
import { type OpenStore, openStore } from '../../store/index.ts';
import { addNotes } from '../help.ts';
import { CliError, type Terminal } from '../terminal.ts';

export default function check(command: Command, terminal: Terminal): void {
  addNotes(
    command,
    terminal,
    'The database is the one that DATABASE_URL names (a server may be using it), or the embedded one in LEASEGRAPH_DATA_DIR (no server may be using it).',
    'The exit status is 0 when nothing is wrong.',
  );
  command
    .option('--json', 'print JSON')
    .option(
      '--discard <lease>',
      'give up a lease that is not sound: it becomes FAILED, its plan is deleted, and hosts are told to destroy its machines at the next start; no server may be using the database',
      leaseNumber,
    );
  command.action(async ({ json, discard }: { readonly json?: boolean; readonly discard?: number }) => {
    const { databaseUrl, dataDir, scheduler } = loadConfiguration(process.env);
    const store = await openStore({ databaseUrl, dataDir, asItIs: true });
    try {
      const stored = await store.load();
      if (stored === null) throw new CliError('the database holds no site yet: there is nothing to check');
      const restore = schedulerWith(await loadPolicies(scheduler));
      const { faults } = await examine(stored, scheduler, restore);
      if (discard !== undefined) {
        const unsound = new Set([...faults, ...stored.unreadable].map(({ leaseId }) => leaseId));
        if (!unsound.has(discard)) {
          throw new CliError(`lease ${discard} is not among those that are not sound; cancel it instead`);
        }
        await discardLease(store, discard);
        terminal.out(`Lease ${discard} was discarded: it is FAILED.\n`);
        return;
      }
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

async function discardLease(store: OpenStore, lease: number): Promise<void> {
  const writer = await store.acquireWriter();
  if (writer === null) throw new CliError('a server is using the database; stop it first');
  try {
    await store.discardLease(lease, writer);
  } finally {
    await writer.release();
  }
}

function leaseNumber(text: string): number {
  if (/^[1-9]\d{0,9}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be the number of a lease.');
}
