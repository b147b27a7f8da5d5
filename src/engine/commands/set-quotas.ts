import type { Quota } from '../../core/index.ts';
import type { CommandKind } from './command.ts';
import { fieldsOf, isListOf, isWhole } from './shape.ts';

export interface SetQuotasInput {
  /** Null: the quotas are only validated. */
  readonly project: number | null;
  /** The complete list; an empty list removes all quotas. */
  readonly quotas: readonly Quota[];
}

/** Replaces the quotas of a project. The project must exist. */
export const setQuotas: CommandKind<SetQuotasInput, { readonly project: number | null }> = {
  parse: (input) => {
    const fields = fieldsOf(input);
    if (!fields || !(fields.project === null || isWhole(fields.project))) return null;
    return isListOf(isQuota, fields.quotas) ? { project: fields.project, quotas: fields.quotas } : null;
  },
  rows: ({ project }) => (project === null ? 0 : 1),
  apply: (core, now, { project, quotas }) => {
    core.setQuotas(now, project, quotas);
    return { project };
  },
  idempotency: null,
};

const limits = ['amount', 'amountHours', 'period', 'maxDuration', 'maxLeases'] as const;

function isQuota(value: unknown): value is Quota {
  const fields = fieldsOf(value);
  return (
    typeof fields?.type === 'string' &&
    limits.every((limit) => fields[limit] === null || typeof fields[limit] === 'number')
  );
}
