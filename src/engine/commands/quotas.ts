import type { QuotaState } from '../../core/index.ts';
import type { CommandKind } from './command.ts';
import { fieldsOf, isWhole } from './shape.ts';

export interface QuotasInput {
  readonly project: number;
}

/** Query: how much of a project's quotas is used. Changes nothing. */
export const quotas: CommandKind<QuotasInput, readonly QuotaState[]> = {
  parse: (input) => {
    const project = fieldsOf(input)?.project;
    return isWhole(project) ? { project } : null;
  },
  rows: () => 0,
  apply: (core, now, { project }) => core.quotas(now, project),
  idempotency: null,
};
