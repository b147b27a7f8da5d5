import type { Quota } from '../../../core/index.ts';
import { NameTaken } from '../../../identity/index.ts';
import type { ApiContext } from '../../context.ts';
import { builder } from '../builder.ts';
import { asQuotas, QuotaInput } from '../quota.ts';
import { Project } from '../refs.ts';
import { checkTexts, keyDescription, once } from './once.ts';
import { numberAt, payload, payloadType, refuse } from './payload.ts';

const CreateProjectInput = builder.inputType('CreateProjectInput', {
  description: 'A new project.',
  fields: (t) => ({
    name: t.string({ required: true, description: 'Its unique name.' }),
    quotas: t.field({ type: [QuotaInput], description: 'What its leases may have at most.' }),
    idempotencyKey: t.string({ description: keyDescription('project') }),
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

const CreateProjectPayload = projectPayload('CreateProjectPayload', 'The created project, or why it was not created.');
const UpdateProjectPayload = projectPayload('UpdateProjectPayload', 'The changed project, or why it was not changed.');

/** With a null `project`, the quotas are only validated, so that a refusal leaves nothing half done. */
async function setQuotas(
  { principal, services }: ApiContext,
  project: number | null,
  quotas: readonly Quota[],
): Promise<void> {
  await services.leases.submit('setQuotas', { project, quotas }, { principal });
}

/** Throws Refused. */
async function unlessTaken<T>(name: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (!(error instanceof NameTaken)) throw error;
    return refuse('NAME_TAKEN', `There is a project with the name "${name}". Choose another name.`, 'input', 'name');
  }
}

builder.mutationFields((t) => ({
  createProject: t.field({
    type: CreateProjectPayload,
    description: 'Creates a project. For administrators.',
    args: { input: t.arg({ type: CreateProjectInput, required: true, description: 'The project.' }) },
    resolve: (_root, { input }, context) =>
      payload(context, async () => {
        const { name } = input;
        const { projects } = context.services.identity;
        const quotas = asQuotas(input.quotas);
        const { made, number } = await once(context, 'createProject', input, async (within) => {
          checkTexts({ name });
          if (quotas) await setQuotas(context, null, quotas);
          return unlessTaken(name, () => projects.create(name, quotas ?? [], within));
        });
        try {
          if (made && quotas) await setQuotas(context, number, quotas);
        } catch (error) {
          const { idempotencyKey: key } = input;
          const { principal } = context;
          await projects.remove(number, key ? { principal: principal.name, key } : null);
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
        checkTexts({ name });
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
