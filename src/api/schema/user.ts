import type { Identity } from '../../identity/index.ts';
import { builder } from './builder.ts';
import { Project, RoleEnum } from './refs.ts';

export const User = builder.objectRef<Pick<Identity, 'name' | 'role' | 'projects'>>('User').implement({
  description: 'A principal: the holder of a token.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Its unique name.' }),
    role: t.expose('role', { type: RoleEnum, description: 'What it may do.' }),
    projects: t.field({
      type: [Project],
      description: 'The projects of which it is a member, as far as the reader may see them.',
      resolve: ({ projects }, _args, { read }) => read.projectsOf(projects),
    }),
  }),
});

builder.queryField('viewer', (t) =>
  t.field({
    type: User,
    description: 'The principal that sends this request.',
    resolve: (_root, _args, { principal }) => principal,
  }),
);
