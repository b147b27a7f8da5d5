/** Subscriptions to the current state of objects and its changes. */
import { type Change, ChangeStream } from '../../change-stream.ts';
import { clientError } from '../../errors.ts';
import { numberOf } from '../../global-id.ts';
import type { LeaseRow } from '../../read/leases.ts';
import type { NodeRow } from '../../read/nodes.ts';
import type { Connection } from '../../read/pages.ts';
import { builder } from '../builder.ts';
import { unexpected } from '../mutations/payload.ts';
import { ComputeNode, Lease } from '../refs.ts';

function valueOrError<T>(change: Change<T>): T {
  if ('value' in change) return change.value;
  throw unexpected(change.failure);
}

const queueHeadLength = 10;

interface QueueSummaryShape {
  readonly length: number;
  readonly head: readonly LeaseRow[];
}

const QueueSummary = builder.objectRef<QueueSummaryShape>('QueueSummary').implement({
  description: 'The length of the queue and its head, as far as the principal may see its leases.',
  fields: (t) => ({
    length: t.exposeInt('length', { description: 'The number of waiting leases.' }),
    head: t.field({
      type: [Lease],
      description: `The first ${queueHeadLength} waiting leases, in order.`,
      extensions: { listSize: queueHeadLength },
      resolve: ({ head }) => [...head],
    }),
  }),
});

/** A fingerprint of a value. */
function textOf(value: unknown): string {
  return JSON.stringify(value, (_key, each: unknown) => (typeof each === 'bigint' ? String(each) : each));
}

async function summaryOf({ totalCount, edges }: Connection<LeaseRow>): Promise<QueueSummaryShape> {
  const [length, page] = await Promise.all([totalCount(), edges]);
  return { length, head: page.map(({ node }) => node) };
}

builder.subscriptionFields((t) => ({
  leaseChanged: t.field({
    type: Lease,
    description:
      'The lease as it is, then as it becomes, at most twice per second; also when its plan changes without a change of its state. Ends when the lease has ended.',
    args: { id: t.arg.id({ required: true, description: 'The global id of the lease.' }) },
    subscribe: async (_root, { id }, context) => {
      const number = numberOf('Lease', id);
      if ((await context.read.lease(number)) === undefined) {
        throw clientError('LEASE_NOT_FOUND', `Lease ${number} does not exist.`);
      }
      let before = '';
      return new ChangeStream<LeaseRow>(context, async (read) => {
        const lease = await read.lease(number);
        if (lease === undefined) return { values: [], isLast: true };
        const now = textOf([lease, await read.planOfLease(lease)]);
        const values = now === before ? [] : [lease];
        before = now;
        return { values, isLast: lease.endedAt !== null };
      });
    },
    resolve: (change: Change<LeaseRow>) => valueOrError(change),
  }),
  nodeChanged: t.field({
    type: ComputeNode,
    description:
      'A node when it changes, or when what is planned on it changes, at most twice per second. With `id`, first the node as it is.',
    args: { id: t.arg.id({ description: 'The global id of a node. Without it, all nodes.' }) },
    subscribe: async (_root, { id }, context) => {
      const number = typeof id === 'string' ? numberOf('ComputeNode', id) : null;
      if (number !== null && (await context.read.node(number)) === undefined) {
        throw clientError('NODE_NOT_FOUND', `Node ${number} does not exist.`);
      }
      let before: Map<number, string> | null = null;
      return new ChangeStream<NodeRow>(context, async (read) => {
        const { nodes, plans } = await read.nodesWithPlans(number);
        const texts = new Map(nodes.map((node) => [node.number, textOf([node, plans.get(node.number)])]));
        const known = before;
        before = texts;
        const isFirst = known === null;
        const changed = nodes.filter((node) => known?.get(node.number) !== texts.get(node.number));
        return { values: isFirst && number === null ? [] : changed };
      });
    },
    resolve: (change: Change<NodeRow>) => valueOrError(change),
  }),
  queueChanged: t.field({
    type: QueueSummary,
    description: "The queue's length and head as they are, then when they change, at most twice per second.",
    subscribe: (_root, _args, context) => {
      let before = '';
      return new ChangeStream<QueueSummaryShape>(context, async (read) => {
        const summary = await summaryOf(read.queue({ first: queueHeadLength }));
        const now = textOf(summary);
        const values = now === before ? [] : [summary];
        before = now;
        return { values };
      });
    },
    resolve: (change: Change<QueueSummaryShape>) => valueOrError(change),
  }),
}));
