import {
  type CancelLeaseInput,
  ConsoleCancelLeaseDocument,
  ConsoleDiscardLeaseDocument,
  type ConsoleEndingFragment,
  ConsoleEndLeaseDocument,
  type ConsoleLeaseFragment,
  type ConsolePlanFragment,
  ConsoleUpdateLeaseDocument,
  type EndLeaseInput,
  type UpdateLeaseInput,
} from '../api/generated/operations.ts';
import { useExecute } from '../session/session.tsx';
import { assertDone, ConfirmButton } from '../ui/confirm.tsx';
import { exactDuration, toIsoDuration } from '../ui/format.ts';
import { useSettings } from '../ui/settings.tsx';
import { durationError, InstantField, TextField, useTerms } from '../ui/term-fields.tsx';
import { fromLocalInput, toLocalInput } from '../ui/zones.ts';
import { leaseName } from './lease-table.tsx';
import { EndingPreview, PlanPreview } from './plan-preview.tsx';

interface Terms {
  readonly duration: string;
  /** Date and time, as an input of type datetime-local gives it. */
  readonly start: string;
  readonly deadline: string;
  readonly asFarAsPossible: boolean;
}

/** Extends, shortens or moves a lease. Shows first what that would displace. */
export function ChangeLease({ lease }: { lease: ConsoleLeaseFragment }) {
  const execute = useExecute();
  const { timeZone } = useSettings();
  const current: Terms = {
    duration: exactDuration(lease.requestedDuration),
    start: toLocalInput(lease.requestedStart, timeZone),
    deadline: toLocalInput(lease.deadline, timeZone),
    asFarAsPossible: false,
  };
  const { terms, change, reset } = useTerms(`change-lease-${lease.number}`, current);
  const mayMove = lease.requestedStart !== null && lease.actualStart === null;
  const duration = toIsoDuration(terms.duration);
  const start = fromLocalInput(terms.start, timeZone);
  const deadline = fromLocalInput(terms.deadline, timeZone);
  const errors = {
    duration: durationError(terms.duration),
    start: mayMove && start === null ? 'Enter a date and time.' : null,
    deadline: lease.deadline !== null && deadline === null ? 'Enter a date and time.' : null,
  };
  const isComplete = Object.values(errors).every((error) => error === null);
  const input: UpdateLeaseInput | null = isComplete
    ? {
        id: lease.id,
        ...(terms.duration === current.duration ? {} : { duration }),
        ...(mayMove && terms.start !== current.start ? { start } : {}),
        ...(lease.deadline !== null && terms.deadline !== current.deadline ? { deadline } : {}),
        ...(terms.asFarAsPossible ? { asFarAsPossible: true } : {}),
      }
    : null;
  const changesNothing = input !== null && Object.keys(input).length === 1;

  return (
    <ConfirmButton
      label="Change"
      title={`Change lease ${lease.number}`}
      confirmLabel="Change lease"
      cancelLabel="Leave it"
      tone="primary"
      dryRun={{
        name: 'update',
        input: changesNothing ? null : input,
        ask: async (asked: UpdateLeaseInput, signal) =>
          (await execute(ConsoleUpdateLeaseDocument, { input: { ...asked, dryRun: true } }, signal)).updateLease,
        show: (plan: ConsolePlanFragment) => <PlanPreview plan={plan} isChange />,
      }}
      action={async () => {
        if (input === null) return;
        assertDone((await execute(ConsoleUpdateLeaseDocument, { input })).updateLease.userErrors);
        reset();
      }}
    >
      <TextField
        label="Duration"
        error={errors.duration}
        hint="A longer one extends the lease, a shorter one ends it earlier."
        value={terms.duration}
        onChange={(changed) => change({ duration: changed })}
      />
      {mayMove && (
        <InstantField
          label="Start"
          timeZone={timeZone}
          error={errors.start}
          value={terms.start}
          onChange={(changed) => change({ start: changed })}
        />
      )}
      {lease.deadline !== null && (
        <InstantField
          label="Deadline"
          timeZone={timeZone}
          error={errors.deadline}
          value={terms.deadline}
          onChange={(changed) => change({ deadline: changed })}
        />
      )}
      <label className="check">
        <input
          type="checkbox"
          checked={terms.asFarAsPossible}
          onChange={(event) => change({ asFarAsPossible: event.target.checked })}
        />
        <span>If the extension is blocked, extend as far as possible</span>
      </label>
      {changesNothing && <p className="muted">Change a term to see what it would displace.</p>}
    </ConfirmButton>
  );
}

/** Ends a running lease now: it is done. */
export function EndLease({ lease }: { lease: ConsoleLeaseFragment }) {
  const execute = useExecute();
  const end = async (input: EndLeaseInput, signal?: AbortSignal) =>
    (await execute(ConsoleEndLeaseDocument, { input }, signal)).endLease;
  return (
    <ConfirmButton
      label="End now"
      title={`End lease ${lease.number} now?`}
      confirmLabel="End lease"
      cancelLabel="Let it run"
      tone="primary"
      dryRun={{
        name: 'end-lease',
        input: { id: lease.id },
        ask: (input: EndLeaseInput, signal) => end({ ...input, dryRun: true }, signal),
        show: (plan: ConsoleEndingFragment) => <EndingPreview plan={plan} />,
      }}
      action={async () => assertDone((await end({ id: lease.id })).userErrors)}
    >
      <p>
        {leaseName(lease)} is done, and its machines are no longer needed. No other lease is displaced; those that wait
        may use its nodes at once.
      </p>
    </ConfirmButton>
  );
}

export function CancelLease({ lease }: { lease: ConsoleLeaseFragment }) {
  const execute = useExecute();
  const cancel = async (input: CancelLeaseInput, signal?: AbortSignal) =>
    (await execute(ConsoleCancelLeaseDocument, { input }, signal)).cancelLease;
  const hasMachines = lease.actualStart !== null;
  return (
    <ConfirmButton
      label="Cancel lease"
      title={`Cancel lease ${lease.number}?`}
      confirmLabel="Cancel lease"
      dryRun={{
        name: 'cancel-lease',
        input: { id: lease.id },
        ask: (input: CancelLeaseInput, signal) => cancel({ ...input, dryRun: true }, signal),
        show: (plan: ConsoleEndingFragment) => <EndingPreview plan={plan} />,
        isAdvisory: true,
      }}
      action={async () => assertDone((await cancel({ id: lease.id })).userErrors)}
    >
      <p>
        {hasMachines
          ? `${leaseName(lease)} stops at once and its machines are removed. What runs on them is lost.`
          : `${leaseName(lease)} gives up its place and does not run.`}{' '}
        No other lease is displaced; those that wait may use its nodes at once. This cannot be undone.
      </p>
    </ConfirmButton>
  );
}

/** Discards a quarantined lease; for operators. */
export function DiscardLease({ lease }: { lease: ConsoleLeaseFragment }) {
  const execute = useExecute();
  return (
    <ConfirmButton
      label="Discard lease"
      title={`Discard lease ${lease.number}?`}
      confirmLabel="Discard lease"
      action={async () =>
        assertDone((await execute(ConsoleDiscardLeaseDocument, { id: lease.id })).discardLease.userErrors)
      }
    >
      <p>
        {leaseName(lease)} fails, and hosts are told to destroy what is known of its machines. No other lease is
        displaced. This cannot be undone.
      </p>
    </ConfirmButton>
  );
}
