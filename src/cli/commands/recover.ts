import { Argument, type Command } from 'commander';
import { actionTable } from '../client/actions.ts';
import { addServerOptions, assertAccepted, connect, type ServerOptions } from '../client/client.ts';
import { type ActionRecovery, RecoverActionDocument } from '../client/generated/operations.ts';
import { addNotes } from '../help.ts';
import { addOutputOptions, type OutputOptions, printOne } from '../output.ts';
import { CliError, type Terminal } from '../terminal.ts';

const decisions: Readonly<Record<string, ActionRecovery>> = {
  retry: 'RETRY',
  'assume-success': 'ASSUME_SUCCESS',
  'assume-failure': 'ASSUME_FAILURE',
};

export default function recover(command: Command, terminal: Terminal): void {
  addNotes(
    command,
    terminal,
    'retry calls the hosts again at once. assume-success and assume-failure end the action so, without another call: look at the hosts first.',
    'The outcome is recorded soon after the answer.',
  );
  addOutputOptions(addServerOptions(command))
    .argument('<action>', 'ID of an unfinished action, as lease and node show it')
    .addArgument(new Argument('<decision>', 'what becomes of it').choices(Object.keys(decisions)))
    .action(async (id: string, decision: string, options: ServerOptions & OutputOptions) => {
      const recovery = decisions[decision] ?? 'RETRY';
      const client = connect(options);
      const { action, userErrors } = (await client.request(RecoverActionDocument, { input: { id, recovery } }))
        .recoverAction;
      assertAccepted(userErrors);
      if (action === null) throw new CliError('the server answered without an action [UNEXPECTED_ANSWER]');
      printOne(terminal, options, action, () => actionTable([action], null, terminal.tableWidth));
    });
}
