import { type ReactNode, useState } from 'react';
import type { LeaseFilter, LeaseOrder, LeaseState, LeaseType } from '../api/generated/operations.ts';
import { useSession } from '../session/session.tsx';
import { formatEnum } from '../ui/format.ts';
import { useSettings } from '../ui/settings.tsx';
import { fromLocalInput } from '../ui/zones.ts';

const groups: Readonly<Record<string, readonly LeaseState[]>> = {
  Running: ['ACTIVE', 'RESUMED_READY', 'RESUMING', 'SUSPENDING', 'MIGRATING'],
  Waiting: ['NEW', 'PENDING', 'QUEUED', 'SCHEDULED', 'PREPARING', 'READY'],
  Suspended: ['SUSPENDED_PENDING', 'SUSPENDED_QUEUED', 'SUSPENDED_SCHEDULED'],
  Ended: ['DONE', 'CANCELLED', 'FAILED', 'REJECTED', 'REJECTED_BY_USER'],
};
const states: readonly LeaseState[] = [...Object.values(groups).flat(), 'QUARANTINED'];
const types: readonly LeaseType[] = ['BEST_EFFORT', 'ADVANCE_RESERVATION', 'IMMEDIATE', 'DEADLINE'];
const orders: Readonly<Record<string, { readonly label: string; readonly by: LeaseOrder }>> = {
  NEWEST: { label: 'Newest first', by: { field: 'NUMBER', direction: 'DESC' } },
  OLDEST: { label: 'Oldest first', by: { field: 'NUMBER', direction: 'ASC' } },
  SUBMITTED: { label: 'Submitted, latest first', by: { field: 'SUBMITTED_AT', direction: 'DESC' } },
  SUBMITTED_FIRST: { label: 'Submitted, earliest first', by: { field: 'SUBMITTED_AT', direction: 'ASC' } },
  START: { label: 'Start, latest first', by: { field: 'START', direction: 'DESC' } },
  START_FIRST: { label: 'Start, earliest first', by: { field: 'START', direction: 'ASC' } },
  ENDED: { label: 'End, latest first', by: { field: 'ENDED_AT', direction: 'DESC' } },
  ENDED_FIRST: { label: 'End, earliest first', by: { field: 'ENDED_AT', direction: 'ASC' } },
};

/** The states of a filter in the address: those of a group, or one. Null: all. */
export function statesOf(name: string): readonly LeaseState[] | null {
  const state = states.find((each) => each === name);
  return groups[name] ?? (state === undefined ? null : [state]);
}

const earliest = '1970-01-01T00:00:00Z';
const latest = '2200-01-01T00:00:00Z';

/** The filter parameters of the address. */
const filterNames = ['state', 'type', 'project', 'name', 'number', 'owner', 'node'] as const;
const intervals = ['submitted', 'overlapping'] as const;

/** What the address asks for. */
export function leaseFilterOf(
  search: URLSearchParams,
  timeZone: string,
): { readonly filter: LeaseFilter; readonly isFiltered: boolean } {
  const [state, type, project, name, number, owner, node] = filterNames.map((each) => search.get(each) ?? '');
  const found = statesOf(state ?? '');
  const filter: LeaseFilter = {
    ...(found === null ? {} : { states: found }),
    ...(type ? { types: [type as LeaseType] } : {}),
    ...(project ? { projects: [project] } : {}),
    ...(name ? { name } : {}),
    ...(/^\d{1,9}$/.test(number ?? '') ? { numbers: [Number(number)] } : {}),
    ...(owner ? { owners: [owner] } : {}),
    ...(node ? { nodes: [node] } : {}),
    ...Object.fromEntries(
      intervals.flatMap((each) => {
        const start = fromLocalInput(search.get(`${each}-from`) ?? '', timeZone);
        const end = fromLocalInput(search.get(`${each}-to`) ?? '', timeZone);
        return start === null && end === null ? [] : [[each, { start: start ?? earliest, end: end ?? latest }]];
      }),
    ),
  };
  return { filter, isFiltered: Object.keys(filter).length > 0 };
}

export function leaseOrderOf(search: URLSearchParams): LeaseOrder | null {
  return (orders[search.get('order') ?? ''] ?? orders.NEWEST)?.by ?? null;
}

/** A choice of states: groups of them, or a single one. */
export function StateFilter({
  label,
  value,
  onChange,
}: {
  label: string;
  value: string;
  onChange: (value: string) => void;
}) {
  return (
    <label>
      <span>{label}</span>
      <select value={statesOf(value) === null ? '' : value} onChange={(event) => onChange(event.target.value)}>
        <option value="">All</option>
        {Object.keys(groups).map((name) => (
          <option key={name}>{name}</option>
        ))}
        <optgroup label="One state">
          {states.map((each) => (
            <option key={each} value={each}>
              {formatEnum(each)}
            </option>
          ))}
        </optgroup>
      </select>
    </label>
  );
}

/** The filters and the order of the list of leases, as the address has them. */
export function LeaseFilters({
  search,
  onChange,
}: {
  search: URLSearchParams;

  onChange: (changes: Readonly<Record<string, string>>) => void;
}) {
  const { viewer } = useSession();
  const { timeZone } = useSettings();
  const get = (name: string) => search.get(name) ?? '';
  const owner = get('owner');
  // Opened or closed by the person from then on.
  const [isOpen] = useState(() => /(^|&)(number|submitted-|overlapping-)/.test(search.toString()));
  return (
    <form className="filters" onSubmit={(event) => event.preventDefault()}>
      <StateFilter label="State" value={get('state')} onChange={(state) => onChange({ state })} />
      <Choice label="Type" value={get('type')} onChange={(type) => onChange({ type })}>
        {types.map((each) => (
          <option key={each} value={each}>
            {formatEnum(each)}
          </option>
        ))}
      </Choice>
      {viewer.projects.length > 0 && (
        <Choice label="Project" value={get('project')} onChange={(project) => onChange({ project })}>
          {viewer.projects.map((each) => (
            <option key={each.id} value={each.id}>
              {each.name}
            </option>
          ))}
        </Choice>
      )}
      <Choice label="Owner" value={owner} onChange={(chosen) => onChange({ owner: chosen })}>
        <option value={viewer.name}>{viewer.name} (you)</option>
        {owner !== '' && owner !== viewer.name && <option value={owner}>{owner}</option>}
      </Choice>
      <label>
        <span>Name contains</span>
        <input type="search" value={get('name')} onChange={(event) => onChange({ name: event.target.value })} />
      </label>
      <label>
        <span>Order</span>
        <select
          value={orders[get('order')] ? get('order') : 'NEWEST'}
          onChange={(event) => onChange({ order: event.target.value })}
        >
          {Object.entries(orders).map(([key, { label }]) => (
            <option key={key} value={key}>
              {label}
            </option>
          ))}
        </select>
      </label>
      {get('node') !== '' && (
        <button type="button" onClick={() => onChange({ node: '', hostname: '' })}>
          On {get('hostname') || 'one node'} <span aria-hidden="true">✕</span>
          <span className="visually-hidden"> (show all nodes)</span>
        </button>
      )}
      <details className="more-filters" open={isOpen || undefined}>
        <summary>More filters</summary>
        <div className="filters">
          <label>
            <span>Number</span>
            <input
              type="search"
              inputMode="numeric"
              value={get('number')}
              onChange={(event) => onChange({ number: event.target.value })}
            />
          </label>
          {(
            [
              ['submitted-from', 'Submitted from'],
              ['submitted-to', 'Submitted before'],
              ['overlapping-from', 'Runs after'],
              ['overlapping-to', 'Runs before'],
            ] as const
          ).map(([name, label]) => (
            <label key={name}>
              <span>
                {label} ({timeZone})
              </span>
              <input
                type="datetime-local"
                value={get(name)}
                onChange={(event) => onChange({ [name]: event.target.value })}
              />
            </label>
          ))}
        </div>
      </details>
    </form>
  );
}

function Choice({
  label,
  value,
  onChange,
  children,
}: {
  label: string;
  value: string;
  onChange: (value: string) => void;
  children: ReactNode;
}) {
  return (
    <label>
      <span>{label}</span>
      <select value={value} onChange={(event) => onChange(event.target.value)}>
        <option value="">All</option>
        {children}
      </select>
    </label>
  );
}
