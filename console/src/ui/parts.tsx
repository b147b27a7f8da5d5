import { type ReactNode, useEffect, useId, useRef } from 'react';
import { ApiError } from '../api/client.ts';
import type { LeaseState, NodeState } from '../api/generated/operations.ts';
import { asSentence, formatEnum, formatInstant, withInstants } from './format.ts';
import { useSettings } from './settings.tsx';

export function Page({ title, actions, children }: { title: ReactNode; actions?: ReactNode; children: ReactNode }) {
  return (
    <>
      <header className="page-header">
        <h1>{title}</h1>
        {actions && <div className="actions">{actions}</div>}
      </header>
      {children}
    </>
  );
}

export function Card({ title, children, wide }: { title: string; children: ReactNode; wide?: boolean }) {
  const id = useId();
  return (
    <section className={wide ? 'card wide' : 'card'} aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {children}
    </section>
  );
}

/** An instant in the chosen time zone; the tooltip names the zone. */
export function Instant({ at, seconds = true }: { at: string | null | undefined; seconds?: boolean }) {
  const { timeZone } = useSettings();
  if (!at) return <span className="muted">–</span>;
  return (
    <time dateTime={at} title={`${at} (shown in ${timeZone})`}>
      {formatInstant(at, timeZone, seconds)}
    </time>
  );
}

/** A message of the server, with its UTC instants shown in the chosen time zone. */
export function Sentence({ text }: { text: string }) {
  const { timeZone } = useSettings();
  return <>{withInstants(asSentence(text), timeZone)}</>;
}

type Tone = 'running' | 'waiting' | 'suspended' | 'good' | 'bad' | 'neutral';

const tones: Readonly<Record<LeaseState, Tone>> = {
  NEW: 'waiting',
  PENDING: 'waiting',
  QUEUED: 'waiting',
  SCHEDULED: 'waiting',
  PREPARING: 'waiting',
  READY: 'waiting',
  ACTIVE: 'running',
  SUSPENDING: 'suspended',
  SUSPENDED_PENDING: 'suspended',
  SUSPENDED_QUEUED: 'suspended',
  SUSPENDED_SCHEDULED: 'suspended',
  MIGRATING: 'suspended',
  RESUMING: 'suspended',
  RESUMED_READY: 'suspended',
  DONE: 'good',
  CANCELLED: 'neutral',
  REJECTED: 'bad',
  REJECTED_BY_USER: 'bad',
  FAILED: 'bad',
  QUARANTINED: 'bad',
  UNKNOWN: 'neutral',
};

const symbols: Readonly<Record<Tone, string>> = {
  running: '▶',
  waiting: '◷',
  suspended: '‖',
  good: '✓',
  bad: '✕',
  neutral: '–',
};

/** The class of what is drawn for a state. */
export const toneOf = (state: LeaseState): string => tones[state] ?? 'neutral';

/** A lease's state, told apart by symbol and text as well as by colour. */
export function StateBadge({ state }: { state: LeaseState }) {
  const tone = tones[state] ?? 'neutral';
  return (
    <span className={`badge ${tone}`}>
      <span aria-hidden="true">{symbols[tone]}</span> {formatEnum(state)}
    </span>
  );
}

const nodeTones: Readonly<Record<NodeState, Tone>> = {
  UP: 'good',
  DRAINING: 'suspended',
  DOWN: 'bad',
};

export function NodeStateBadge({ state, label }: { state: NodeState; label?: string }) {
  const tone = nodeTones[state] ?? 'neutral';
  return (
    <span className={`badge ${tone}`}>
      <span aria-hidden="true">{symbols[tone]}</span> {label ?? formatEnum(state)}
    </span>
  );
}

/** The loading, error and empty states of a query. */
export function QueryState({
  isPending,
  error,
  isEmpty = false,
  empty,
  retry,
  children,
}: {
  isPending: boolean;
  error: Error | null;
  isEmpty?: boolean;
  empty?: ReactNode;
  retry: () => void;
  children: ReactNode;
}) {
  if (isPending && error === null)
    return (
      <p className="muted" role="status">
        Loading…
      </p>
    );
  if (error !== null) {
    const hint = error instanceof ApiError && error.retryable ? ' The console tries again by itself.' : '';
    return (
      <div className="error-box" role="alert">
        <p>
          {error.message}
          {hint}
        </p>
        <button type="button" onClick={retry}>
          Try again
        </button>
      </div>
    );
  }
  if (isEmpty) return <div className="empty">{empty}</div>;
  return <>{children}</>;
}

/** A modal dialog. Escape and the backdrop close it. */
export function Dialog({
  title,
  open,
  onClose,
  children,
}: {
  title: string;
  open: boolean;
  onClose: () => void;
  children: ReactNode;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    if (open) dialog.current?.showModal();
    else dialog.current?.close();
  }, [open]);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the click on the backdrop; the dialog itself closes on Escape
    <dialog
      ref={dialog}
      aria-labelledby={id}
      onClose={onClose}
      onClick={(event) => event.target === dialog.current && onClose()}
    >
      {open && (
        <div className="dialog-body">
          <h2 id={id}>{title}</h2>
          {children}
        </div>
      )}
    </dialog>
  );
}

/** Scrolls sideways by itself, also with the keyboard, so that the page does not. */
export function ScrollArea({ label, children }: { label: string; children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reachable by keyboard
    <section className="table-scroll" aria-label={label} tabIndex={0}>
      {children}
    </section>
  );
}

export function Pager({
  total,
  noun,
  hasPrevious,
  hasNext,
  onPrevious,
  onNext,
}: {
  total: number;
  noun: string;
  hasPrevious: boolean;
  hasNext: boolean;
  onPrevious: () => void;
  onNext: () => void;
}) {
  return (
    <nav className="pager" aria-label={`Pages of ${noun}s`}>
      <span className="muted">
        {total} {total === 1 ? noun : `${noun}s`}
      </span>
      <button type="button" disabled={!hasPrevious} onClick={onPrevious}>
        Previous
      </button>
      <button type="button" disabled={!hasNext} onClick={onNext}>
        Next
      </button>
    </nav>
  );
}
