import type { GraphQLSchema } from 'graphql';
import { builder } from './builder.ts';
import './lease/lease.ts';
import './lease/queries.ts';
import './lease/request.ts';
import './lease/cancel.ts';
import './node/node.ts';
import './reservation/reservation.ts';
import './reservation/queries.ts';
import './event/event.ts';
import './event/subscription.ts';
import './utilization.ts';
import './site.ts';

export const schema: GraphQLSchema = builder.toSchema();
