import { type Command, InvalidArgumentError } from 'commander';
import { differenceLines, loadConfiguration, loadPolicies, siteDifference } from '../../config/index.ts';
import { examine, schedulerWith } from '../../engine/index.ts';
import { type OpenStore, openStore } from '../../store/index.ts';
import { addNotes } from '../help.ts';
import { CliError, type Terminal } from '../terminal.ts';
import { plain } from '../text.ts';

interface CheckOptions {
  readonly config?: string;
  readonly json?: boolean;
  readonly discard?: number;
}

export default function check(command: Command, terminal: Terminal): void {
  addNotes(
    command,
    terminal,
    'The database is the one that DATABASE_URL names (a server may be using it), or the embedded one in LEASEGRAPH_DATA_DIR (no server may be using it).',
    'The exit status is 0 when nothing is wrong.',
  );
  command
    .option('--config <file>', 'configuration of the server (default: LEASEGRAPH_CONFIG)')
    .option('--json', 'print JSON')
    .option(
      '--discard <lease>',
      'give up a lease that is not sound: it becomes FAILED, its plan is deleted, and hosts are told to destroy its machines at the next start; no server may be using the database',
      leaseNumber,
    );
  command.action(async ({ config, json, discard }: CheckOptions) => {
    const environment = { ...process.env, ...(config !== undefined && { LEASEGRAPH_CONFIG: config }) };
    const { databaseUrl, dataDir, scheduler, site } = loadConfiguration(environment);
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
      const difference = site && siteDifference(stored, site);
      const differences = difference ? differenceLines(difference) : [];
      if (json) {
        terminal.out(
          `${JSON.stringify({ site: stored.name, leases: leases.length, reservations: reservations.length, unreadable, faults, differences })}\n`,
        );
      } else {
        for (const message of unreadable) terminal.out(`unreadable: ${message}\n`);
        for (const { code, message } of faults) terminal.out(`${code}: ${message}\n`);
        if (differences.length > 0)
          terminal.out('The site in the configuration differs from the stored one, which is used:\n');
        for (const line of differences) terminal.out(`${plain(line)}\n`);
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
