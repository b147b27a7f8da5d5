import { runCli } from '../../src/cli/leasegraph.ts';

/** Runs a command line in this process and keeps what it writes. */
export async function cli(...argv: string[]): Promise<{ status: number; out: string; err: string }> {
  const written = { out: '', err: '' };
  const status = await runCli(argv, {
    out: (text) => {
      written.out += text;
    },
    err: (text) => {
      written.err += text;
    },
    interactive: false,
    columns: 80,
    tableWidth: Number.POSITIVE_INFINITY,
  });
  return { status, ...written };
}
