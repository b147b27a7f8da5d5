import { Command, CommanderError } from 'commander';
import project from '../../package.json' with { type: 'json' };
import { processTerminal, type Terminal } from './terminal.ts';

/** What a file under commands/ exports: it adds its arguments, options and action to its command. */
export interface CommandModule {
  default(command: Command, terminal: Terminal): void;
}

type Registration = readonly [name: string, summary: string, load: () => Promise<CommandModule>];

// A command's module is loaded only when that command is called: `simulate` starts without the database's and the server's libraries.
const COMMANDS: readonly Registration[] = [
  ['serve', 'run the server', () => import('./commands/serve.ts')],
  ['simulate', 'run a trace on the scheduler with a virtual clock', () => import('./commands/simulate.ts')],
  ['convert', 'turn a trace into LWF XML', () => import('./commands/convert.ts')],
  ['replay', 'feed a trace to a running server', () => import('./commands/replay.ts')],
  ['request', 'ask a server for a lease', () => import('./commands/request.ts')],
  ['cancel', 'cancel leases', () => import('./commands/cancel.ts')],
  ['leases', 'list leases', () => import('./commands/leases.ts')],
  ['queue', 'list the leases that wait', () => import('./commands/queue.ts')],
  ['nodes', 'list the nodes and what is free on them', () => import('./commands/nodes.ts')],
  ['migrate', 'bring the database to the newest schema', () => import('./commands/migrate.ts')],
  ['check', 'verify what the database holds', () => import('./commands/check.ts')],
];

const USAGE_ERROR = 2;

/** Runs one command line (without the program's name). Resolves to its exit status: 0 only when it did what was asked. */
export async function runCli(argv: readonly string[], terminal: Terminal = processTerminal): Promise<number> {
  let exitCode = 0;
  try {
    const program = await buildProgram(argv, terminal);
    if (argv.length === 0) {
      program.outputHelp({ error: true });
      return USAGE_ERROR;
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
  settle(program, terminal);
  const called = argv.filter((word) => !word.startsWith('-'));
  const wanted = called[0] === 'help' ? called[1] : called[0];
  if (called[0] === 'help' && wanted !== undefined && !COMMANDS.some(([name]) => name === wanted)) {
    throw new CommanderError(USAGE_ERROR, 'commander.unknownCommand', `unknown command '${wanted}'`);
  }
  for (const [name, summary, load] of COMMANDS) {
    const command = program
      .command(name)
      .summary(summary)
      .description(`${summary[0]?.toUpperCase()}${summary.slice(1)}.`);
    settle(command, terminal);
    if (name === wanted) (await load()).default(command, terminal);
  }
  return program;
}

function settle(command: Command, terminal: Terminal): void {
  command
    .exitOverride()
    .helpOption('-h, --help', 'show this help')
    .configureOutput({
      writeOut: (text) => terminal.out(text),
      writeErr: (text) => terminal.err(text),
      // Reported once, at the end, as every other error.
      outputError: () => {},
    });
}

/** Tells an error in one line; what to exit with. */
function report(error: unknown, terminal: Terminal): number {
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return 0;
    const message = error.message.replace(/^error: /, '').replace(/\s*\n\s*/g, ' ');
    terminal.err(`leasegraph: ${plain(message)} (see --help)\n`);
    return USAGE_ERROR;
  }
  const { message, stack, exitCode } = error as Error & { exitCode?: number };
  terminal.err(`leasegraph: ${plain(String(message ?? error).replace(/\s*\n\s*/g, '; '))}\n`);
  if (process.env.LEASEGRAPH_DEBUG !== undefined && stack !== undefined) terminal.err(`${stack}\n`);
  return exitCode ?? 1;
}

/** What a file or a server says must not move the terminal's cursor. */
const plain = (text: string): string => text.replace(/\p{Cc}/gu, '\uFFFD');
