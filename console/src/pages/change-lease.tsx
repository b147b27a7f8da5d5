import { useState } from 'react';
import {
  ConsoleEndLeaseDocument,
  type ConsoleLeaseFragment,
  ConsoleUpdateLeaseDocument,
} from '../api/generated/operations.ts';
import { useExecute } from '../session/session.tsx';
import { assertDone, ConfirmButton } from '../ui/confirm.tsx';
import { toIsoDuration } from '../ui/format.ts';
import { leaseName } from './lease-table.tsx';

/** The value of an input of type datetime-local for an instant, in the browser's time zone. */
function toLocal(instant: string | null): string {
  if (instant === null) return '';
  const date = new Date(instant);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** Extends, shortens or moves a lease. */
export function ChangeLease({ lease }: { lease: ConsoleLeaseFragment }) {
  const execute = useExecute();
  const [duration, setDuration] = useState(lease.requestedDuration);
  const [start, setStart] = useState(toLocal(lease.requestedStart));
  const [deadline, setDeadline] = useState(toLocal(lease.deadline));
  const [asFarAsPossible, setAsFarAsPossible] = useState(false);
  const mayMove = lease.requestedStart !== null && lease.actualStart === null;

  const update = async () => {
    const iso = toIsoDuration(duration);
    if (iso === null) throw new Error(`"${duration}" is not a duration. Examples: 90m, 1h 30m, 2d, PT1H30M.`);
    const input = {
      id: lease.id,
      duration: iso,
      ...(mayMove && start !== toLocal(lease.requestedStart) ? { start: new Date(start).toISOString() } : {}),
      ...(lease.deadline !== null && deadline !== toLocal(lease.deadline)
        ? { deadline: new Date(deadline).toISOString() }
        : {}),
      asFarAsPossible,
    };
    assertDone((await execute(ConsoleUpdateLeaseDocument, { input })).updateLease.userErrors);
  };

  return (
    <ConfirmButton
      label="Change"
      title={`Change lease ${lease.number}`}
      confirmLabel="Change lease"
      cancelLabel="Leave it"
      tone="primary"
      action={update}
    >
      <label className="field">
        <span>Duration</span>
        <input value={duration} onChange={(event) => setDuration(event.target.value)} />
      </label>
      {mayMove && (
        <label className="field">
          <span>Start (your time)</span>
          <input type="datetime-local" value={start} onChange={(event) => setStart(event.target.value)} />
        </label>
      )}
      {lease.deadline !== null && (
        <label className="field">
          <span>Deadline (your time)</span>
          <input
            type="datetime-local"
            value={deadline}
            onChange={(event) => setDeadline(event.target.value)}
          />
        </label>
      )}
      <label className="check">
        <input
          type="checkbox"
          checked={asFarAsPossible}
          onChange={(event) => setAsFarAsPossible(event.target.checked)}
        />
        <span>If the extension is blocked, extend as far as possible</span>
      </label>
    </ConfirmButton>
  );
}

/** Ends a running lease now: it is done. */
export function EndLease({ lease }: { lease: ConsoleLeaseFragment }) {
  const execute = useExecute();
  return (
    <ConfirmButton
      label="End now"
      title={`End lease ${lease.number} now?`}
      confirmLabel="End lease"
      cancelLabel="Let it run"
      tone="primary"
      action={async () =>
        assertDone((await execute(ConsoleEndLeaseDocument, { id: lease.id })).endLease.userErrors)
      }
    >
      <p>
        {leaseName(lease)} is done, and its machines are no longer needed. No other lease is displaced; those
        that wait may use its nodes at once.
      </p>
    </ConfirmButton>
  );
}
