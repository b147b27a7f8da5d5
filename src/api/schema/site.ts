import type { SiteFacts } from '../context.ts';
import { builder } from './builder.ts';

const Site = builder.objectRef<SiteFacts>('Site').implement({
  description: 'The pool of nodes, and its clock.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Its name in the configuration.' }),
    resourceTypes: t.exposeStringList('resourceTypes', {
      description: 'The types of resources that machines can request.',
    }),
    timeZone: t.string({
      description: 'The IANA time zone in which people of the site tell the time.',
      resolve: ({ timeZone }) => timeZone ?? 'UTC',
    }),
    clockSpeed: t.exposeFloat('clockSpeed', {
      description: 'How many seconds pass on its clock per second. 1, except for demonstrations and replays.',
    }),
    acceptsKnownDurations: t.exposeBoolean('acceptsKnownDurations', {
      description: 'Whether a request may give the actual running time of its machines (simulation).',
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
