import { useQuery } from '@tanstack/react-query';
import {
  ConsoleProjectsDocument,
  type ConsoleProjectsQuery,
  type ConsoleQuotaFragment,
} from '../api/generated/operations.ts';
import { useExecute, useSession } from '../session/session.tsx';
import { formatDuration } from '../ui/format.ts';
import { Card } from '../ui/parts.tsx';

export type ProjectRow = ConsoleProjectsQuery['projects']['nodes'][number];

const amounts = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });

/** The projects that the person may see. */
export function useProjects() {
  const execute = useExecute();
  return useQuery({
    queryKey: ['projects'],
    queryFn: ({ signal }) => execute(ConsoleProjectsDocument, { first: 100 }, signal),
  });
}

/** The limits of a project's leases, and how much of each is in use. */
export function QuotaList({ quotas }: { quotas: readonly ConsoleQuotaFragment[] }) {
  return (
    <ul className="plain">
      {quotas.map((quota) => (
        <li key={quota.type}>
          <strong>{quota.type}</strong>
          <div className="meters">
            {quota.amount !== null && <Meter label="held" used={quota.usage?.amount ?? null} limit={quota.amount} />}
            {quota.amountHours !== null && quota.period !== null && (
              <Meter
                label={`hours in ${formatDuration(quota.period)}`}
                used={quota.usage?.amountHours ?? null}
                limit={quota.amountHours}
              />
            )}
            {quota.maxLeases !== null && (
              <Meter label="leases" used={quota.usage?.leases ?? null} limit={quota.maxLeases} />
            )}
            {quota.maxDuration !== null && (
              <span className="meter">at most {formatDuration(quota.maxDuration)} per lease</span>
            )}
          </div>
        </li>
      ))}
    </ul>
  );
}

function Meter({ label, used, limit }: { label: string; used: number | null; limit: number }) {
  return (
    <label className="meter">
      <span>
        {used === null ? '?' : amounts.format(used)} of {amounts.format(limit)} {label}
      </span>
      <meter min={0} max={Math.max(limit, 1)} high={limit * 0.9} optimum={0} value={used ?? 0} />
    </label>
  );
}

/** The remaining quotas of the project of a request, if it has any. */
export function QuotaLeft({ project }: { project: string }) {
  const { viewer } = useSession();
  const query = useProjects();
  const only = viewer.projects.length === 1 ? viewer.projects[0]?.id : undefined;
  const id = project === '' ? only : project;
  const found = query.data?.projects.nodes.find((each) => each.id === id);
  if (!found || found.quotas.length === 0) return null;
  return (
    <Card title={`Quotas of ${found.name}`}>
      <QuotaList quotas={found.quotas} />
    </Card>
  );
}
