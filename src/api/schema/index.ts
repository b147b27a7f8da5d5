import type { GraphQLSchema } from 'graphql';
import { builder } from './builder.ts';
import './lease.ts';
import './node.ts';
import './reservation.ts';
import './event.ts';
import './utilization.ts';
import './site.ts';
import './mutations/request-lease.ts';
import './mutations/cancel-lease.ts';
import './subscriptions/lease-events.ts';

export const schema: GraphQLSchema = builder.toSchema();
