import { Command, CommanderError } from 'commander';
import project from '../../package.json' with { type: 'json' };
import { layOutHelp } from './help.ts';
import { processTerminal, type Terminal } from './terminal.ts';
import { plain } from './text.ts';

/** A file under commands/: its default export adds arguments, options and the action to a command. */
export interface CommandModule {
  default(command: Command, terminal: Terminal): void;
}

type Registration = readonly [name: string, summary: string, load: () => Promise<CommandModule>];

// The module of a command is loaded only when the command is called: `simulate` starts without the libraries of the
// database and the server.
const commands: readonly Registration[] = [
  ['serve', 'run the server', () => import('./commands/serve.ts')],
  ['simulate', 'run a trace on the scheduler with a virtual clock', () => import('./commands/simulate.ts')],
  ['convert', 'turn a trace into LWF XML', () => import('./commands/convert.ts')],
  ['replay', 'feed a trace to a running server', () => import('./commands/replay.ts')],
  ['request', 'request a lease', () => import('./commands/request.ts')],
  ['availability', 'list when machines are available', () => import('./commands/availability.ts')],
  ['explain', 'say why a lease does not run', () => import('./commands/explain.ts')],
  ['lease', 'show a lease, its plan and its history', () => import('./commands/lease.ts')],
  ['update', 'change the duration, start or deadline of a lease', () => import('./commands/update.ts')],
  ['extend', 'extend a lease', () => import('./commands/extend.ts')],
  ['end', 'end a running lease: it is done', () => import('./commands/end.ts')],
  ['cancel', 'cancel leases', () => import('./commands/cancel.ts')],
  ['leases', 'list leases', () => import('./commands/leases.ts')],
  ['queue', 'list waiting leases', () => import('./commands/queue.ts')],
  ['nodes', 'list nodes and their free capacity', () => import('./commands/nodes.ts')],
  ['node', 'show a node, change its state, or add and remove nodes', () => import('./commands/node.ts')],
  ['site', 'compare the site with a configuration file, and apply it', () => import('./commands/site.ts')],
  ['maintenance', 'list, plan and end maintenance of nodes', () => import('./commands/maintenance.ts')],
  [
    'discard',
    'discard a lease whose stored data is inconsistent: it becomes FAILED',
    () => import('./commands/discard.ts'),
  ],
  ['recover', 'decide about an action on hosts that is stuck', () => import('./commands/recover.ts')],
  ['recurrence', 'list, create, change and cancel recurrences', () => import('./commands/recurrence.ts')],
  ['reservations', 'list reservations', () => import('./commands/reservations.ts')],
  ['utilization', 'show the use of the site over time', () => import('./commands/utilization.ts')],
  ['status', 'show the state of the scheduler', () => import('./commands/status.ts')],
  ['events', 'print events as they happen', () => import('./commands/events.ts')],
  ['notices', 'print notices', () => import('./commands/notices.ts')],
  ['webhook', 'list, create, test and delete webhooks', () => import('./commands/webhook.ts')],
  ['token', 'list, create, change and revoke tokens', () => import('./commands/token.ts')],
  ['project', 'list, create and rename projects, and change their members', () => import('./commands/project.ts')],
  ['quota', 'show and set the quotas of projects', () => import('./commands/quota.ts')],
  ['accounting', 'sum up what leases requested, used and lost', () => import('./commands/accounting.ts')],
  ['audit', 'list audit records', () => import('./commands/audit.ts')],
  ['login', 'keep the address of a server and a token', () => import('./commands/login.ts')],
  ['completion', 'print a completion script for a shell', () => import('./commands/completion.ts')],
  ['migrate', 'update the schema of the database', () => import('./commands/migrate.ts')],
  ['check', 'verify what the database holds', () => import('./commands/check.ts')],
  ['rates', 'show how fast hosts suspended, resumed and moved machines', () => import('./commands/rates.ts')],
  ['conformance', 'try an adapter on its hosts', () => import('./commands/conformance.ts')],
];

const usageError = 2;

/**
 * Runs one command line (without the name of the program). Resolves to the exit status: 0 only when it did what was
 * asked.
 */
export async function runCli(argv: readonly string[], terminal: Terminal = processTerminal): Promise<number> {
  let exitCode = 0;
  try {
    const program = await buildProgram(argv, terminal);
    if (argv.length === 0) {
      program.outputHelp({ error: true });
      return usageError;
    }
    await program.parseAsync(argv, { from: 'user' });
  } catch (error) {
    exitCode = report(error, terminal);
  }
  return exitCode;
}

async function buildProgram(argv: readonly string[], terminal: Terminal): Promise<Command> {
  const program = new Command('leasegraph')
    .description('A lease scheduler for a pool of machines.')
    .version(project.version, '-V, --version', 'show the version')
    .usage('COMMAND [arguments]')
    .helpCommand('help [command]', "show a command's help");
  configure(program, terminal);
  const words = argv.filter((word) => !word.startsWith('-'));
  const wanted = words[0] === 'help' ? words[1] : words[0];
  if (words[0] === 'help' && wanted !== undefined && !commands.some(([name]) => name === wanted)) {
    throw new CommanderError(usageError, 'commander.unknownCommand', `unknown command '${wanted}'`);
  }
  for (const [name, summary, load] of commands) {
    const command = program
      .command(name)
      .summary(summary)
      .description(`${summary[0]?.toUpperCase()}${summary.slice(1)}.`);
    configure(command, terminal);
    // The completion script has the options of all commands.
    if (name === wanted || wanted === 'completion') (await load()).default(command, terminal);
  }
  return program;
}

function configure(command: Command, terminal: Terminal): void {
  command
    .exitOverride()
    .helpOption('-h, --help', 'show this help')
    .configureOutput({
      writeOut: (text) => terminal.out(text),
      writeErr: (text) => terminal.err(text),
      // Reported once, at the end, like every other error.
      outputError: () => {},
    });
  layOutHelp(command, terminal);
}

/** Prints an error in one line, with its code. Returns the exit status. */
function report(error: unknown, terminal: Terminal): number {
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return 0;
    const message = error.message.replace(/^error: /, '').replace(/\s*\n\s*/g, ' ');
    terminal.err(`leasegraph: ${plain(message)} (see --help)\n`);
    return usageError;
  }
  const { message, stack, exitCode, code } = error as Error & { exitCode?: number; code?: unknown };
  // What was printed has said it.
  if (message === '') return exitCode ?? 1;
  const text = plain(String(message ?? error).replace(/\s*\n\s*/g, '; '));
  terminal.err(`leasegraph: ${text}${isStable(code) && !text.includes(`[${code}]`) ? ` [${code}]` : ''}\n`);
  if (process.env.LEASEGRAPH_DEBUG !== undefined && stack !== undefined) terminal.err(`${stack}\n`);
  return exitCode ?? 1;
}

/** Codes of the system, such as ENOENT, are in the message already. */
function isStable(code: unknown): code is string {
  return (
    typeof code === 'string' && /^[A-Z]+(_[A-Z]+)+$|^INTERNAL$|^UNAVAILABLE$/.test(code) && !code.startsWith('ERR_')
  );
}
