import { useQuery } from '@tanstack/react-query';
import {
  type ConsoleDisplacementFragment,
  ConsoleEndMaintenanceDocument,
  type ConsoleMaintenanceFragment,
  ConsoleMaintenanceListDocument,
  ConsolePlanMaintenanceDocument,
  type EndMaintenanceInput,
  type PlanMaintenanceInput,
} from '../api/generated/operations.ts';
import { useExecute, useHasRole, useSchedulerNow } from '../session/session.tsx';
import { acceptance, assertDone, ConfirmButton } from '../ui/confirm.tsx';
import { Card, Instant, QueryState } from '../ui/parts.tsx';
import { useSettings } from '../ui/settings.tsx';
import { type Column, Table } from '../ui/table.tsx';
import { InstantField, TextField, useTerms } from '../ui/term-fields.tsx';
import { fromLocalInput, toLocalInput } from '../ui/zones.ts';
import { DisplacementPreview } from './plan-preview.tsx';

interface NodeName {
  readonly number: number;
  readonly hostname: string;
}

const hour = 3_600_000;

function namesOf(nodes: readonly NodeName[]): string {
  const more = nodes.length > 4 ? ` and ${nodes.length - 4} more` : '';
  return `${nodes
    .slice(0, 4)
    .map(({ hostname }) => hostname)
    .join(', ')}${more}`;
}

/** Its reason and nodes in one line. */
export function maintenanceText({ reason, nodes }: ConsoleMaintenanceFragment): string {
  return reason ? `${reason} (${namesOf(nodes)})` : namesOf(nodes);
}

/** Current and planned maintenance, of all nodes or of one. */
export function MaintenanceCard({ node }: { node?: number }) {
  const execute = useExecute();
  const now = useSchedulerNow();
  const isOperator = useHasRole('OPERATOR');
  const query = useQuery({
    queryKey: ['maintenance'],
    queryFn: ({ signal }) =>
      execute(ConsoleMaintenanceListDocument, { from: new Date(now()).toISOString(), first: 100 }, signal),
  });
  const all = query.data?.maintenance.nodes ?? [];
  const rows = node === undefined ? all : all.filter(({ nodes }) => nodes.some(({ number }) => number === node));
  const columns: readonly Column<ConsoleMaintenanceFragment>[] = [
    { header: 'Start', cell: ({ start }) => <Instant at={start} seconds={false} /> },
    { header: 'End', cell: ({ end }) => <Instant at={end} seconds={false} /> },
    ...(node === undefined
      ? [
          {
            header: 'Nodes',
            kind: 'text' as const,
            cell: ({ nodes }: ConsoleMaintenanceFragment) => namesOf(nodes),
          },
        ]
      : []),
    { header: 'Reason', kind: 'text', cell: ({ reason }) => reason ?? <span className="muted">none</span> },
    ...(isOperator
      ? [
          {
            header: 'Actions',
            kind: 'actions' as const,
            cell: (maintenance: ConsoleMaintenanceFragment) => <EndMaintenance maintenance={maintenance} />,
          },
        ]
      : []),
  ];
  return (
    <Card title="Maintenance" wide={node === undefined}>
      <QueryState
        isPending={query.isPending}
        error={query.data ? null : query.error}
        retry={() => void query.refetch()}
        isEmpty={rows.length === 0}
        empty={<p>No maintenance is under way or planned.</p>}
      >
        <Table label="List of maintenance" columns={columns} rows={rows} keyOf={({ id }) => id} />
      </QueryState>
    </Card>
  );
}

function EndMaintenance({ maintenance }: { maintenance: ConsoleMaintenanceFragment }) {
  const execute = useExecute();
  const now = useSchedulerNow();
  const began = Date.parse(maintenance.start) <= now();
  const label = began ? 'End' : 'Cancel';
  const end = async (input: EndMaintenanceInput, signal?: AbortSignal) =>
    (await execute(ConsoleEndMaintenanceDocument, { input }, signal)).endMaintenance;
  return (
    <ConfirmButton
      label={label}
      hiddenLabel={`maintenance of ${namesOf(maintenance.nodes)}`}
      title={`${label} maintenance?`}
      confirmLabel={`${label} maintenance`}
      tone="primary"
      dryRun={acceptance('end-maintenance', { id: maintenance.id }, (input, signal) =>
        end({ ...input, dryRun: true }, signal),
      )}
      action={async () => assertDone((await end({ id: maintenance.id })).userErrors)}
    >
      <p>{maintenanceText(maintenance)}: the scheduler uses the nodes again at once. No lease is displaced.</p>
    </ConfirmButton>
  );
}

/** Plans maintenance of nodes; for operators. */
export function PlanMaintenance({
  nodes,
  onPlanned,
}: {
  nodes: readonly (NodeName & { readonly id: string })[];
  onPlanned?: () => void;
}) {
  const execute = useExecute();
  const now = useSchedulerNow();
  const { timeZone } = useSettings();
  const later = (ms: number) => toLocalInput(Math.ceil((now() + ms) / hour) * hour, timeZone);
  const { terms, change, reset } = useTerms('plan-maintenance', {
    start: later(0),
    end: later(2 * hour),
    reason: '',
    displace: false,
  });
  const { start, end, displace } = terms;
  const reason = terms.reason.trim();
  const from = fromLocalInput(start, timeZone);
  const to = fromLocalInput(end, timeZone);
  const input: PlanMaintenanceInput | null =
    from === null || to === null
      ? null
      : {
          nodes: nodes.map(({ id }) => id),
          start: from,
          end: to,
          collisions: displace ? 'DISPLACE' : 'REFUSE',
        };
  const plan = async (wanted: PlanMaintenanceInput, signal?: AbortSignal) =>
    (await execute(ConsolePlanMaintenanceDocument, { input: wanted }, signal)).planMaintenance;
  const missing = (instant: string | null) => (instant === null ? 'Enter a date and time.' : null);
  return (
    <ConfirmButton
      label="Plan maintenance"
      title={`Plan maintenance of ${namesOf(nodes)}`}
      confirmLabel="Plan maintenance"
      cancelLabel="Go back"
      tone="primary"
      disabled={nodes.length === 0}
      dryRun={{
        name: 'maintenance',
        input,
        ask: (asked: PlanMaintenanceInput, signal) => plan({ ...asked, dryRun: true }, signal),
        show: (shown: ConsoleDisplacementFragment) => <DisplacementPreview plan={shown} />,
      }}
      action={async () => {
        if (input === null) return;
        assertDone((await plan(reason === '' ? input : { ...input, reason })).userErrors);
        reset();
        onPlanned?.();
      }}
    >
      <InstantField
        label="Start"
        timeZone={timeZone}
        error={missing(from)}
        value={start}
        onChange={(changed) => change({ start: changed })}
      />
      <InstantField
        label="End"
        timeZone={timeZone}
        error={missing(to)}
        value={end}
        onChange={(changed) => change({ end: changed })}
      />
      <TextField label="Reason (optional)" value={terms.reason} onChange={(changed) => change({ reason: changed })} />
      <label className="check">
        <input type="checkbox" checked={displace} onChange={(event) => change({ displace: event.target.checked })} />
        <span>
          Displace leases that hold the nodes at that time. Without this, maintenance that collides with a lease is
          refused.
        </span>
      </label>
    </ConfirmButton>
  );
}
