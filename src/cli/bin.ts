#!/usr/bin/env node
import { runCli } from './leasegraph.ts';

// GraphQL's library, loaded with the command, checks for mistakes of its developers in every field unless it is told not to.
process.env.NODE_ENV ||= 'production';

// A reader that goes away (`| head`) is no error of ours.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  process.stderr.write(`leasegraph: standard output cannot be written: ${error.message}\n`);
  process.exit(1);
});

// Nothing is left to do, and the command has not come to its end.
process.once('beforeExit', () => {
  if (process.exitCode !== undefined) return;
  process.stderr.write('leasegraph: what this waits for never comes (in the module of a policy?)\n');
  process.exitCode = 1;
});

process.exitCode = await runCli(process.argv.slice(2));
