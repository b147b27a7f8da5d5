import type { Identity } from '../../identity/index.ts';
import { builder } from './builder.ts';
import { Project, RoleEnum, totalCount } from './refs.ts';

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

const UserConnection = builder.connectionObject(
  { type: User, name: 'UserConnection', description: 'A page of principals.', fields: totalCount },
  { name: 'UserEdge', description: 'A principal and its position in the list.' },
);

builder.objectField(Project, 'members', (t) =>
  t.connection(
    {
      type: User,
      description:
        'The holders of valid tokens that are members, in the order in which their tokens were created. Members by a claim of an OpenID Connect issuer are not listed: the server does not know them until they send a request.',
      resolve: (project, page, { read }) => read.identity.membersOf(project, page),
    },
    UserConnection,
  ),
);

builder.queryField('viewer', (t) =>
  t.field({
    type: User,
    description: 'The principal that sends this request.',
    resolve: (_root, _args, { principal }) => principal,
  }),
);
