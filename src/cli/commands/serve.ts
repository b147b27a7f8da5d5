import { type Command, InvalidArgumentError } from 'commander';
import { loadConfiguration } from '../../config/index.ts';
import { type RunningServer, startCluster, startServer } from '../../main.ts';
import { createLogger } from '../../server/logging.ts';
import { addNotes } from '../help.ts';
import { CliError, type Terminal } from '../terminal.ts';

/** Milliseconds that a start may continue after a signal to stop. It can be broken off anywhere. */
const maxStart = 2_000;

interface ServeOptions {
  readonly port?: string;
  readonly host?: string;
  readonly config?: string;
  readonly dataDir?: string;
  readonly role?: string;
  readonly apiWorkers?: string;
  readonly applySite?: boolean;
  readonly prune?: boolean;
}

export default function serve(command: Command, terminal: Terminal): void {
  addNotes(
    command,
    terminal,
    'With DATABASE_URL set, the database is that PostgreSQL server. The token of the administrator is LEASEGRAPH_ADMIN_TOKEN, or one that is created at the first start.',
  );
  command
    .option('--port <port>', 'the port to listen on; 0 takes a free one (default: PORT, or 4000)', portOption)
    .option('--host <address>', 'the address to listen on (default: HOST, or 127.0.0.1)')
    .option('--config <file>', 'configuration, YAML or JSON (default: LEASEGRAPH_CONFIG)')
    .option(
      '--data-dir <directory>',
      'where the embedded database and the token are (default: LEASEGRAPH_DATA_DIR, or ./data)',
    )
    .option('--role <role>', 'all, or api: answer only, and leave the scheduling to another process (default: all)')
    .option('--api-workers <n>', 'processes that answer on the port beside the one that schedules (default: 0)')
    .option(
      '--apply-site',
      'add and change nodes as the configuration says, if it differs from what is stored (default: LEASEGRAPH_APPLY_SITE)',
    )
    .option('--prune', 'with --apply-site: also remove nodes that are not in the configuration')
    .action(async (options: ServeOptions) => {
      if (options.prune && !options.applySite) throw new CliError('--prune needs --apply-site', 2);
      const environment = {
        ...process.env,
        ...(options.port !== undefined && { PORT: options.port }),
        ...(options.host !== undefined && { HOST: options.host }),
        ...(options.config !== undefined && { LEASEGRAPH_CONFIG: options.config }),
        ...(options.dataDir !== undefined && { LEASEGRAPH_DATA_DIR: options.dataDir }),
        ...(options.role !== undefined && { LEASEGRAPH_ROLE: options.role }),
        ...(options.applySite && { LEASEGRAPH_APPLY_SITE: options.prune ? 'prune' : 'apply' }),
        ...(options.apiWorkers !== undefined && { LEASEGRAPH_API_WORKERS: options.apiWorkers }),
      };
      const config = loadConfiguration(environment);
      // A server continues when its output cannot be written.
      process.stdout.removeAllListeners('error').on('error', () => {});
      const log = await createLogger(config.logLevel);
      const signals = stopSignals();
      process.on('SIGHUP', () => log.info('SIGHUP is ignored: restart the server to change its configuration'));
      let onFatal: (error: Error) => void = () => {};
      const fatal = new Promise<Error>((resolve) => {
        onFatal = resolve;
      });
      let started = false;
      void signals.then((status) => setTimeout(() => started || process.exit(status), maxStart).unref());
      const server =
        config.apiWorkers > 0
          ? await startCluster(config, { log, onFatal, environment })
          : await startServer(config, { log, onFatal });
      started = true;
      if (!server.quiet) greet(server, terminal);
      const failure = await Promise.race([signals, fatal]);
      await server.stop();
      if (failure instanceof Error) throw new CliError(`the scheduler has stopped: ${failure.message}`);
    });
}

function portOption(text: string): string {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return text;
  throw new InvalidArgumentError('Expected a port from 0 to 65535.');
}

function greet({ url, token, kind, site }: RunningServer, terminal: Terminal): void {
  const nodes = site.spec.nodes.filter(({ capacity }) => Object.keys(capacity).length > 0);
  terminal.out(
    `Leasegraph schedules the site "${site.name}" (${nodes.length} ${nodes.length === 1 ? 'node' : 'nodes'}) on ${kind === 'embedded' ? 'its embedded database' : 'a PostgreSQL server'}.\n`,
  );
  if (token.made) {
    terminal.out(`Admin token, shown this once and kept in ${token.file}:\n  ${token.value}\n`);
  } else if (token.file !== null) {
    terminal.out(`The admin token is in ${token.file}.\n`);
  }
  terminal.out(
    `Listening on ${url}/graphql (GraphiQL in a browser); the web console is at ${url}/. Ctrl-C stops it.\n`,
  );
}

/** Resolves at the first signal to stop, to its exit status. The second signal ends the process at once. */
function stopSignals(): Promise<number> {
  return new Promise((resolve) => {
    let asked = false;
    const stop = (signal: NodeJS.Signals) => {
      const status = signal === 'SIGINT' ? 130 : 143;
      if (asked) process.exit(status);
      asked = true;
      resolve(status);
    };
    process.on('SIGINT', stop);
    process.on('SIGTERM', stop);
  });
}
