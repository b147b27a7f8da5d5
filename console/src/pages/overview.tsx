import { useQuery } from '@tanstack/react-query';
import { Fragment } from 'react';
import { Link, useSearchParams } from 'wouter';
import {
  ConsoleOverviewDocument,
  type ConsoleOverviewQuery,
  ConsoleUtilizationDocument,
  type NodeState,
} from '../api/generated/operations.ts';
import { UtilizationChart } from '../chart/utilization.tsx';
import { useLiveStatus } from '../live/live.tsx';
import { useExecute, useHasRole, useSchedulerNow, useSession } from '../session/session.tsx';
import { Card, Instant, NodeStateBadge, Page, QueryState } from '../ui/parts.tsx';
import { LeaseTable } from './lease-table.tsx';
import { maintenanceText } from './maintenance.tsx';
import { NoticeTable } from './notice-list.tsx';

const hour = 3_600_000;
const nodesRefreshMs = 10_000;

export function OverviewPage() {
  const execute = useExecute();
  const { site } = useSession();
  const isOperator = useHasRole('OPERATOR');
  const live = useLiveStatus();
  const now = useSchedulerNow();
  const query = useQuery({
    queryKey: ['overview'],
    queryFn: ({ signal }) =>
      execute(
        ConsoleOverviewDocument,
        {
          now: new Date(now()).toISOString(),
          running: { states: ['ACTIVE', 'RESUMING', 'RESUMED_READY', 'SUSPENDING', 'MIGRATING'] },
          waiting: {
            states: ['PENDING', 'SCHEDULED', 'PREPARING', 'READY', 'SUSPENDED_SCHEDULED', 'QUEUED'],
          },
        },
        signal,
      ),
    // Nodes also change without an event.
    refetchInterval: nodesRefreshMs,
  });
  const [search, setSearch] = useSearchParams();
  const wanted = search.get('resource');
  const resource = site.resourceTypes.find((each) => each === wanted) ?? site.resourceTypes[0] ?? 'CPU';
  const data = query.data;
  const notices = data?.notices?.nodes ?? [];
  return (
    <Page title="Overview">
      <QueryState isPending={query.isPending} error={data ? null : query.error} retry={() => void query.refetch()}>
        {data && <Notices data={data} />}
        <dl className="figures">
          <Figure label="Running" value={data?.running.totalCount} />
          <Figure label="Waiting" value={data?.waiting.totalCount} />
          <Figure label="In the queue" value={data?.queue.totalCount} />
          <Figure
            label="Nodes up"
            value={data && `${data.nodes.totalCount - data.unavailable.totalCount} of ${data.nodes.totalCount}`}
          />
          {isOperator && data && <Figure label="Server" value={describeProblems(data.scheduler.problems.length)} />}
          <Figure label="Connection" value={live === 'live' ? 'Live' : live === 'connecting' ? 'Connecting' : 'Lost'} />
        </dl>
        <div className="cards">
          <Utilization
            resource={resource}
            onResource={(chosen) => setSearch({ resource: chosen }, { replace: true })}
          />
          {notices.length > 0 && (
            <Card title="Newest notices" wide>
              <NoticeTable notices={notices} label="List of the newest notices" />
              <p className="hint">
                <Link href="/notices">All notices</Link>
              </p>
            </Card>
          )}
          <Card title="Running now" wide>
            {data?.running.nodes.length === 0 ? (
              <p className="muted">
                No lease runs. <Link href="/leases/new">Request a lease</Link>.
              </p>
            ) : (
              <LeaseTable leases={data?.running.nodes ?? []} label="Running leases" />
            )}
          </Card>
          <Card title="Waiting and starting next" wide>
            {data?.waiting.nodes.length === 0 ? (
              <p className="muted">No lease waits.</p>
            ) : (
              <LeaseTable leases={data?.waiting.nodes ?? []} label="Waiting leases" />
            )}
          </Card>
        </div>
      </QueryState>
    </Page>
  );
}

function describeProblems(count: number): string {
  if (count === 0) return 'Healthy';
  return count === 1 ? '1 problem' : `${count} problems`;
}

/** The worst first. */
const unavailableStates: readonly NodeState[] = ['DOWN', 'DRAINING'];

/** Problems of the server, unusable nodes, maintenance. */
function Notices({ data }: { data: ConsoleOverviewQuery }) {
  const { scheduler, unavailable, maintenance } = data;
  const more = unavailable.totalCount - unavailable.nodes.length;
  if (scheduler.problems.length + unavailable.totalCount + maintenance.totalCount === 0) return null;
  return (
    <section className="notices" aria-label="Needs attention">
      <ul className="plain">
        {scheduler.problems.map((problem) => (
          <li key={problem} className="error">
            {problem}
          </li>
        ))}
        {unavailableStates.map((state) => {
          const nodes = unavailable.nodes.filter((node) => node.state === state);
          return (
            nodes.length > 0 && (
              <li key={state}>
                <NodeStateBadge state={state} />{' '}
                {nodes.map(({ number, hostname }, index) => (
                  <Fragment key={number}>
                    {index > 0 && ', '}
                    <Link href={`/nodes/${number}`}>{hostname}</Link>
                  </Fragment>
                ))}
              </li>
            )
          );
        })}
        {more > 0 && (
          <li>
            {more} more {more === 1 ? 'node' : 'nodes'} cannot be used: <Link href="/nodes?state=DOWN">down</Link>,{' '}
            <Link href="/nodes?state=DRAINING">draining</Link>.
          </li>
        )}
        {maintenance.nodes.map((each) => (
          <li key={each.id}>
            <span className="badge neutral">Maintenance</span> {maintenanceText(each)}:{' '}
            <Instant at={each.start} seconds={false} /> to <Instant at={each.end} seconds={false} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Figure({ label, value }: { label: string; value: string | number | undefined }) {
  return (
    <div className="figure">
      <dt>{label}</dt>
      <dd>{value ?? '–'}</dd>
    </div>
  );
}

function Utilization({ resource, onResource }: { resource: string; onResource: (resource: string) => void }) {
  const execute = useExecute();
  const { site } = useSession();
  const now = useSchedulerNow();
  const query = useQuery({
    queryKey: ['utilization', resource],
    queryFn: async ({ signal }) => {
      const at = now();
      const from = Math.floor((at - 24 * hour) / (hour / 2)) * (hour / 2);
      const variables = {
        resource,
        from: new Date(from).toISOString(),
        to: new Date(from + 48 * hour).toISOString(),
        step: 'PT30M',
      };
      return { at, samples: (await execute(ConsoleUtilizationDocument, variables, signal)).utilization };
    },
  });
  return (
    <Card title={`Utilization of ${resource}: the last and the next 24 hours`} wide>
      {site.resourceTypes.length > 1 && (
        <fieldset className="buttons resources">
          <legend className="visually-hidden">Resource</legend>
          {site.resourceTypes.map((each) => (
            <button type="button" key={each} aria-pressed={each === resource} onClick={() => onResource(each)}>
              {each}
            </button>
          ))}
        </fieldset>
      )}
      <QueryState
        isPending={query.isPending}
        error={query.data ? null : query.error}
        retry={() => void query.refetch()}
      >
        {query.data && <UtilizationChart samples={query.data.samples} now={query.data.at} />}
      </QueryState>
    </Card>
  );
}
