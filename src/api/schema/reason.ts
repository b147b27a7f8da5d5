import type { StateReason } from '../../core/index.ts';
import { readable } from '../read/sentences.ts';
import { builder } from './builder.ts';

export const StateReasonType = builder.objectRef<StateReason>('StateReason').implement({
  description: 'Why a lease is in its state.',
  fields: (t) => ({
    code: t.exposeString('code', { description: 'A stable code for programs; docs/api.md lists them.' }),
    message: t.string({
      description: 'A sentence for people. It has no numbers of leases that the principal may not see.',
      resolve: ({ message }, _args, { read }) => readable(message, read),
    }),
  }),
});

export function reasonOf(row: { readonly reasonCode: string | null; readonly reasonMessage: string | null }) {
  return row.reasonCode === null ? null : { code: row.reasonCode, message: row.reasonMessage ?? '' };
}
