import type { EngineStatus } from '../../engine/ports.ts';
import { hasRole } from '../../identity/index.ts';
import type { SchedulerCounts } from '../read/scheduler.ts';
import { builder } from './builder.ts';

interface Status extends SchedulerCounts {
  readonly status: EngineStatus;
}

const SchedulerStatus = builder.objectRef<Status>('SchedulerStatus').implement({
  description: 'The state of the scheduler, as this server knows it.',
  fields: (t) => ({
    role: t.string({
      description: 'The role of this server: writer, standby, starting or stopped.',
      resolve: ({ status }) => status.role,
    }),
    epoch: t.int({ description: 'Counts the writers of the site.', resolve: ({ status }) => status.epoch }),
    clockSpeed: t.float({
      description: 'How many seconds pass on its clock per second.',
      resolve: (_status, _args, { services }) => services.site.clockSpeed,
    }),
    lastPassAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When the last scheduling pass of this server ended. Null on a standby and before the first.',
      resolve: ({ status }) => status.lastPass?.at ?? null,
    }),
    lastPassDuration: t.field({
      type: 'Duration',
      nullable: true,
      description: 'How long it computed.',
      resolve: ({ status }) => status.lastPass?.duration ?? null,
    }),
    liveLeases: t.exposeInt('liveLeases', { description: 'The number of leases that have not ended.' }),
    queueLength: t.exposeInt('queueLength', { description: 'The number of leases in the queue.' }),
    problems: t.stringList({
      description: 'What is wrong, in words, for operators. Empty when there is nothing, and for others.',
      resolve: ({ status }, _args, { principal }) => (hasRole(principal, 'OPERATOR') ? [...status.problems] : []),
    }),
    configuration: t.field({
      type: 'JSON',
      description: "The scheduler's configuration in force.",
      resolve: (_status, _args, { services }) => services.site.configuration ?? {},
    }),
  }),
});

builder.queryField('scheduler', (t) =>
  t.field({
    type: SchedulerStatus,
    description: 'The state of the scheduler.',
    resolve: async (_root, _args, { read, services }) => ({
      ...(await read.schedulerCounts()),
      status: services.leases.status(),
    }),
  }),
);
