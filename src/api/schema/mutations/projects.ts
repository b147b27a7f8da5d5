import type { Quota } from '../../../core/index.ts';
import { NameTaken } from '../../../identity/index.ts';
import type { ApiContext } from '../../context.ts';
import { builder } from '../builder.ts';
import { asQuotas, QuotaInput } from '../quota.ts';
import { Project } from '../refs.ts';
import { numberAt, payload, payloadType, Refused, refuse } from './payload.ts';
import { textErrors } from './request-errors.ts';

const CreateProjectInput = builder.inputType('CreateProjectInput', {
  description: 'A new project.',
  fields: (t) => ({
    name: t.string({ required: true, description: 'Its unique name.' }),
    quotas: t.field({ type: [QuotaInput], description: 'What its leases may have at most.' }),
  }),
});

const UpdateProjectInput = builder.inputType('UpdateProjectInput', {
  description: 'Changes of a project. What is not given stays as it is.',
  fields: (t) => ({
    id: t.id({ required: true, description: 'Its global id.' }),
    name: t.string({ description: 'Its new name.' }),
    quotas: t.field({
      type: [QuotaInput],
      description: 'All its new quotas; an empty list removes them. What is planned or runs stays.',
    }),
  }),
});

function projectPayload(name: string, description: string) {
  return payloadType<number>(name, description, (t) => ({
    project: t.field({
      type: Project,
      nullable: true,
      description: 'The project. Null if there are errors.',
      resolve: ({ result }, _args, { read }) => (result === null ? null : read.project(result)),
    }),
  }));
}

const CreateProjectPayload = projectPayload(
  'CreateProjectPayload',
  'The created project, or why it was not created.',
);
const UpdateProjectPayload = projectPayload(
  'UpdateProjectPayload',
  'The changed project, or why it was not changed.',
);

/** `project` null: the quotas are only checked, so that what is refused leaves nothing half done. */
async function setQuotas(
  { principal, services }: ApiContext,
  project: number | null,
  quotas: readonly Quota[],
): Promise<void> {
  await services.leases.submit('setQuotas', { project, quotas }, { principal });
}

async function unlessTaken<T>(name: string, write: () => Promise<T>): Promise<T> {
  const errors = textErrors(name, 'input', 'name');
  if (errors.length > 0) throw new Refused(errors);
  try {
    return await write();
  } catch (error) {
    if (!(error instanceof NameTaken)) throw error;
    return refuse('NAME_TAKEN', `There is a project with the name "${name}".`, 'input', 'name');
  }
}

builder.mutationFields((t) => ({
  createProject: t.field({
    type: CreateProjectPayload,
    description: 'Creates a project. For administrators.',
    args: { input: t.arg({ type: CreateProjectInput, required: true, description: 'The project.' }) },
    resolve: (_root, { input: { name, quotas: given } }, context) =>
      payload(context, async () => {
        const { projects } = context.services.identity;
        const quotas = asQuotas(given);
        if (quotas) await setQuotas(context, null, quotas);
        const { number } = await unlessTaken(name, () => projects.create(name, context.audit?.within));
        try {
          if (quotas) await setQuotas(context, number, quotas);
        } catch (error) {
          await projects.remove(number);
          throw error;
        }
        return number;
      }),
  }),
  updateProject: t.field({
    type: UpdateProjectPayload,
    description: 'Changes a project. For administrators.',
    args: { input: t.arg({ type: UpdateProjectInput, required: true, description: 'The changes.' }) },
    resolve: (_root, { input: { id, name, quotas: given } }, context) =>
      payload(context, async () => {
        const number = numberAt('Project', id, 'input', 'id');
        const { projects } = context.services.identity;
        const quotas = asQuotas(given);
        if (quotas) await setQuotas(context, null, quotas);
        const exists =
          typeof name === 'string'
            ? (await unlessTaken(name, () => projects.rename(number, name, context.audit?.within))) !== null
            : (await projects.unknown([number])).length === 0;
        if (!exists) refuse('PROJECT_NOT_FOUND', `Project ${number} does not exist.`, 'input', 'id');
        if (quotas) await setQuotas(context, number, quotas);
        return number;
      }),
  }),
}));
