import type { Command } from 'commander';
import { eventNumber, noticeKind, wholeNumber } from '../client/arguments.ts';
import { repeated } from '../client/choice.ts';
import { addServerOptions, answered, type Client, connect, newest, type ServerOptions } from '../client/client.ts';
import {
  FollowNoticesDocument,
  type NoticeFilter,
  type NoticeKind,
  type NoticeRowFragment,
  NoticesDocument,
} from '../client/generated/operations.ts';
import { findLease } from '../client/leases.ts';
import { findProject } from '../client/projects.ts';
import { showInstant } from '../client/show.ts';
import { addNotes } from '../help.ts';
import { addOutputOptions, type OutputOptions, printList } from '../output.ts';
import type { Terminal } from '../terminal.ts';
import { plain } from '../text.ts';

interface NoticesOptions extends ServerOptions, OutputOptions {
  readonly follow?: boolean;
  readonly after?: number;
  readonly last: number;
  readonly lease?: number;
  readonly project?: string;
  readonly kind?: readonly NoticeKind[];
}

export default function notices(command: Command, terminal: Terminal): void {
  addNotes(
    command,
    terminal,
    'Without options the newest notices. --follow prints notices as they are committed, until it is stopped. --after begins after a sequence number, so that a client which comes back misses nothing.',
  );
  addOutputOptions(addServerOptions(command))
    .option('--follow', 'print notices as they are committed')
    .option('--after <n>', 'begin after this sequence number; 0 is all notices that are kept', eventNumber)
    .option('--last <n>', 'number of notices, the newest ones', wholeNumber, 50)
    .option('--lease <number>', 'only notices of this lease', wholeNumber)
    .option('--project <project>', 'only notices of leases of this project')
    .option(
      '--kind <kind>',
      'only notices of this kind, such as lease-ends-soon; may be repeated',
      repeated(noticeKind),
    )
    .action(async (options: NoticesOptions) => {
      const client = connect(options);
      const { after = null, follow, kind = null, last, lease, project } = options;
      const filter: NoticeFilter = {
        kinds: kind,
        leases: lease === undefined ? null : [(await findLease(client, lease)).id],
        project: project === undefined ? null : (await findProject(client, project)).id,
      };
      if (follow) return print(client, filter, after, options, terminal);
      const found =
        after === null
          ? await newest<NoticeRowFragment>(last, async (count, before) => {
              return (await client.request(NoticesDocument, { filter, last: count, before })).notices;
            })
          : await since(client, filter, after);
      printList(terminal, options, found, () =>
        found.length === 0 ? 'No notices.\n' : found.map((notice) => `${line(notice)}\n`).join(''),
      );
    });
}

function line({ sequence, at, kind, message }: NoticeRowFragment): string {
  return `${sequence}  ${showInstant(at)}  ${kind}  ${plain(message)}`;
}

async function print(
  client: Client,
  filter: NoticeFilter,
  after: number | null,
  { json, jsonl }: OutputOptions,
  terminal: Terminal,
): Promise<void> {
  for await (const { notices: notice } of client.subscribe(FollowNoticesDocument, { after, filter })) {
    terminal.out(`${json || jsonl ? JSON.stringify(notice) : line(notice)}\n`);
  }
}

/** The notices after a sequence number, up to the newest one that there is now. */
async function since(client: Client, filter: NoticeFilter, after: number): Promise<NoticeRowFragment[]> {
  const newestOne = await client.request(NoticesDocument, { filter, last: 1, before: null });
  const { nodes } = answered(newestOne.notices);
  const last = nodes[0]?.sequence ?? 0;
  const found: NoticeRowFragment[] = [];
  if (last <= after) return found;
  for await (const { notices: notice } of client.subscribe(FollowNoticesDocument, { after, filter })) {
    found.push(notice);
    if (notice.sequence >= last) break;
  }
  return found;
}
