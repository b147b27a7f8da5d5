import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { Dialog } from './parts.tsx';
import { usePlan } from './use-plan.ts';

/** Throws the first error of a payload, with the server's message. */
export function assertDone(userErrors: readonly { readonly message: string }[]): void {
  const [refusal] = userErrors;
  if (refusal) throw new Error(refusal.message);
}

/** The same mutation with `dryRun`, executed while the dialog is open. */
export interface DryRun<Input, Plan extends { readonly accepted: boolean }> {
  /** Distinguishes the dry runs of the console. */
  readonly name: string;
  /** Null while the form is incomplete. */
  readonly input: Input | null;
  readonly ask: (
    input: Input,
    signal: AbortSignal,
  ) => Promise<{
    readonly plan: Plan | null;
    readonly userErrors: readonly { readonly message: string }[];
  }>;
  readonly show: (plan: Plan) => ReactNode;
  /** Whether the button is enabled before the answer arrives. */
  readonly isAdvisory?: boolean;
}

/** The dry run of a mutation that says only whether it would be refused. */
export function acceptance<Input>(
  name: string,
  input: Input,
  ask: (input: Input, signal: AbortSignal) => Promise<{ readonly userErrors: readonly { readonly message: string }[] }>,
): DryRun<Input, { readonly accepted: boolean }> {
  return {
    name,
    input,
    ask: async (asked, signal) => {
      const { userErrors } = await ask(asked, signal);
      return { plan: userErrors.length === 0 ? { accepted: true } : null, userErrors };
    },
    show: () => (
      <p className="muted" role="status">
        The server would accept this.
      </p>
    ),
  };
}

interface Confirmation<Input, Plan extends { readonly accepted: boolean }> {
  readonly confirmLabel: string;
  readonly cancelLabel?: string;
  readonly tone?: 'danger' | 'primary';
  /**
   * With it, the button can be pressed once the dialog has said what would happen and that it would be accepted, unless
   * the dry run is advisory.
   */
  readonly dryRun?: DryRun<Input, Plan>;
  readonly children: ReactNode;
  readonly action: () => Promise<void>;
}

/** A button that asks for confirmation, and reads the page again when its action is done. */
export function ConfirmButton<Input, Plan extends { readonly accepted: boolean }>({
  label,
  hiddenLabel,
  title,
  disabled = false,
  ...confirmation
}: Confirmation<Input, Plan> & {
  label: string;
  /** Additional text for screen readers, to distinguish equal buttons. */
  hiddenLabel?: string;
  title: string;
  disabled?: boolean;
}) {
  const [open, setOpen] = useState(false);
  const { tone = 'danger' } = confirmation;
  const close = () => setOpen(false);
  return (
    <>
      <button
        type="button"
        className={tone === 'danger' ? tone : undefined}
        disabled={disabled}
        onClick={() => setOpen(true)}
      >
        {label}
        {hiddenLabel && <span className="visually-hidden"> {hiddenLabel}</span>}
      </button>
      <Dialog title={title} open={open} onClose={close}>
        <DialogContent {...confirmation} tone={tone} close={close} />
      </Dialog>
    </>
  );
}

function DialogContent<Input, Plan extends { readonly accepted: boolean }>({
  confirmLabel,
  cancelLabel = 'Keep it',
  tone,
  dryRun,
  children,
  action,
  close,
}: Confirmation<Input, Plan> & { close: () => void }) {
  const queries = useQueryClient();
  const mutation = useMutation({
    mutationFn: action,
    onSuccess: () => {
      close();
      void queries.invalidateQueries();
    },
  });
  const plan = usePlan(dryRun?.name ?? '', dryRun?.input ?? null, (input, signal) => {
    if (!dryRun) throw new Error('There is no dry run to ask for.');
    return dryRun.ask(input, signal);
  });
  const { reset } = mutation;
  const asked = JSON.stringify(dryRun?.input ?? null);
  // The refusal was for another input.
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when the input changes
  useEffect(reset, [asked, reset]);
  const mayConfirm = !dryRun || dryRun.isAdvisory || (plan.isCurrent && plan.data?.plan?.accepted === true);
  const refusal = mutation.error?.message ?? plan.data?.userErrors[0]?.message ?? plan.error?.message;
  return (
    <>
      {children}
      {dryRun?.input && (
        <div aria-busy={!plan.isCurrent}>
          {plan.data?.plan ? (
            dryRun.show(plan.data.plan)
          ) : refusal === undefined ? (
            <p className="muted">Asking the server what would happen…</p>
          ) : null}
        </div>
      )}
      {refusal !== undefined && (
        <p className="error" role="alert">
          {refusal}
        </p>
      )}
      <div className="dialog-actions">
        <button type="button" onClick={close}>
          {cancelLabel}
        </button>
        <button
          type="button"
          className={tone}
          disabled={mutation.isPending || !mayConfirm}
          onClick={() => mutation.mutate()}
        >
          {confirmLabel}
        </button>
      </div>
    </>
  );
}
