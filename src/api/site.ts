import { builder } from './builder.ts';
import type { SiteFacts } from './context.ts';

const Site = builder.objectRef<SiteFacts>('Site').implement({
  description: 'The pool of nodes, and the clock that its leases live by.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'What its operator called it.' }),
    resourceTypes: t.exposeStringList('resourceTypes', {
      description: 'The types of resources that machines can ask for.',
    }),
    clockSpeed: t.exposeFloat('clockSpeed', {
      description:
        'How many seconds pass on its clock in one second. 1, except for demonstrations and replays.',
    }),
    acceptsKnownDurations: t.exposeBoolean('acceptsKnownDurations', {
      description: 'Whether a request may say how long its machines will really run (simulation).',
    }),
  }),
});

builder.queryFields((t) => ({
  site: t.field({
    type: Site,
    description: 'The site that this server schedules.',
    resolve: (_root, _args, { services }) => services.site,
  }),
  serverTime: t.field({
    type: 'DateTime',
    description: "The present instant on the scheduler's clock.",
    resolve: (_root, _args, { services }) => services.leases.now(),
  }),
}));
