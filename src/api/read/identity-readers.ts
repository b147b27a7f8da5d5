import type { AuditEntry, Project } from '../../store/prisma/client.ts';
import {
  type AuditFilter,
  auditOrder,
  countAudit,
  countTokens,
  readAudit,
  readTokens,
  type TokenRow,
  tokenOrder,
  tokensByNumber,
} from './administration.ts';
import type { Batches } from './batches.ts';
import { type MemberRow, pagesOfMembers } from './members.ts';
import { paced } from './pace.ts';
import { type Connection, connection, type PageArguments } from './pages.ts';
import type { Source } from './view.ts';

/** Readers of tokens, their holders, and what they changed. */
export class IdentityReaders {
  constructor(
    private readonly source: Source,
    private readonly batches: Batches,
  ) {}

  token(number: number): Promise<TokenRow | undefined> {
    return this.batches.load(tokensByNumber, number);
  }

  tokens(page: PageArguments): Connection<TokenRow> {
    const { source } = this;
    return connection(
      tokenOrder,
      page,
      (window) => paced(readTokens(source, window)),
      () => countTokens(source),
    );
  }

  membersOf({ number }: Project, page: PageArguments): Connection<MemberRow> {
    return pagesOfMembers(this.batches, number, page);
  }

  auditLog(filter: AuditFilter, page: PageArguments): Connection<AuditEntry> {
    const { source } = this;
    return connection(
      auditOrder,
      page,
      (window) => paced(readAudit(source, filter, window)),
      () => countAudit(source, filter),
    );
  }
}
