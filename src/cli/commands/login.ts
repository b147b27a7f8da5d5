import type { Command } from 'commander';
import { Client, type ServerOptions, serverUrl } from '../client/client.ts';
import { SiteDocument, ViewerDocument } from '../client/generated/operations.ts';
import { forgetLogin, loginFile, saveLogin } from '../client/login-file.ts';
import { addNotes } from '../help.ts';
import { CliError, type Terminal } from '../terminal.ts';
import { plain } from '../text.ts';

interface LoginOptions extends ServerOptions {
  readonly logout?: boolean;
}

export default function login(command: Command, terminal: Terminal): void {
  addNotes(
    command,
    terminal,
    'Without --token the token is read from standard input, so that it appears in no list of processes. Both are kept in a file that only its owner can read; LEASEGRAPH_SERVER and LEASEGRAPH_TOKEN win over it.',
  );
  command
    .option('--server <url>', 'the server (default: LEASEGRAPH_SERVER, or http://127.0.0.1:4000)')
    .option('--token <token>', 'bearer token')
    .option('--logout', 'forget the server and the token')
    .action(async (options: LoginOptions) => {
      if (options.logout) {
        terminal.out(forgetLogin(process.env) ? 'Logged out.\n' : 'There is no login to forget.\n');
        return;
      }
      const server = serverUrl(options.server, process.env);
      const token = options.token ?? (await fromStandardInput());
      if (!/^[\x21-\x7e]+$/.test(token)) {
        throw new CliError('--token: expected printable ASCII characters without blanks', 2);
      }
      const client = new Client(server, token, options.token === undefined ? 'standard input' : '--token');
      const { site } = await client.request(SiteDocument, {});
      const { viewer } = await client.request(ViewerDocument, {});
      saveLogin(process.env, { server, token });
      terminal.out(
        `Logged in to site "${plain(site.name)}" at ${server} as ${plain(viewer.name)} (${viewer.role}); kept in ${loginFile(process.env)}.\n`,
      );
    });
}

async function fromStandardInput(): Promise<string> {
  if (process.stdin.isTTY) process.stderr.write('Token: ');
  let text = '';
  for await (const chunk of process.stdin) {
    text += chunk;
    if (text.includes('\n')) break;
  }
  return text.split('\n')[0]?.trim() ?? '';
}
