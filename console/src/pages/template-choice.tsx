import { useQuery } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { ConsoleLeasesDocument } from '../api/generated/operations.ts';
import { useExecute } from '../session/session.tsx';
import { Field } from '../ui/field.tsx';
import { leaseName } from './lease-table.tsx';

/** Fills the form from one of the newest leases. */
export function TemplateChoice() {
  const execute = useExecute();
  const [, navigate] = useLocation();
  const query = useQuery({
    queryKey: ['newest-leases'],
    queryFn: ({ signal }) =>
      execute(ConsoleLeasesDocument, { orderBy: { field: 'NUMBER', direction: 'DESC' }, first: 20 }, signal),
  });
  const leases = query.data?.leases.nodes ?? [];
  if (leases.length === 0) return null;
  return (
    <Field label="Start from an earlier lease">
      {(control) => (
        <select
          {...control}
          value=""
          onChange={(event) => navigate(`/leases/new?from=${event.target.value}`, { replace: true })}
        >
          <option value="">Choose one…</option>
          {leases.map((lease) => (
            <option key={lease.number} value={lease.number}>
              {lease.name ? `${lease.number} ${lease.name}` : leaseName(lease)}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
