#!/usr/bin/env node
import { runCli } from './leasegraph.ts';

// In development mode the GraphQL library checks each field for mistakes of its callers.
process.env.NODE_ENV ||= 'production';

// A reader that goes away (`| head`) is not an error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  process.stderr.write(`leasegraph: standard output cannot be written: ${error.message}\n`);
  process.exit(1);
});

// Nothing is left to do, and the command has not ended.
process.once('beforeExit', () => {
  if (process.exitCode !== undefined) return;
  process.stderr.write('leasegraph: the command waits for something that never happens (in the module of a policy?)\n');
  process.exitCode = 1;
});

process.exitCode = await runCli(process.argv.slice(2));
