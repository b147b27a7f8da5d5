import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Dialog } from './parts.tsx';

/** Throws the first of a payload's errors, in the server's words. */
export function assertDone(userErrors: readonly { readonly message: string }[]): void {
  const [refusal] = userErrors;
  if (refusal) throw new Error(refusal.message);
}

/** A button that asks for confirmation, and reads the page again when its action is done. */
export function ConfirmButton({
  label,
  hiddenLabel,
  title,
  confirmLabel,
  cancelLabel = 'Keep it',
  tone = 'danger',
  disabled = false,
  onOpen,
  children,
  action,
}: {
  label: string;
  /** What else screen readers say, to tell equal buttons apart. */
  hiddenLabel?: string;
  title: string;
  confirmLabel: string;
  cancelLabel?: string;
  tone?: 'danger' | 'primary';
  disabled?: boolean;
  /** Fills the form in the dialog from what is true now. */
  onOpen?: () => void;
  children: ReactNode;
  action: () => Promise<void>;
}) {
  const queries = useQueryClient();
  const [open, setOpen] = useState(false);
  const mutation = useMutation({
    mutationFn: action,
    onSuccess: () => {
      setOpen(false);
      void queries.invalidateQueries();
    },
  });
  const close = () => {
    setOpen(false);
    mutation.reset();
  };
  return (
    <>
      <button
        type="button"
        className={tone === 'danger' ? tone : undefined}
        disabled={disabled}
        onClick={() => {
          onOpen?.();
          setOpen(true);
        }}
      >
        {label}
        {hiddenLabel && <span className="visually-hidden"> {hiddenLabel}</span>}
      </button>
      <Dialog title={title} open={open} onClose={close}>
        {children}
        {mutation.error && (
          <p className="error" role="alert">
            {mutation.error.message}
          </p>
        )}
        <div className="dialog-actions">
          <button type="button" onClick={close}>
            {cancelLabel}
          </button>
          <button
            type="button"
            className={tone}
            disabled={mutation.isPending}
            onClick={() => mutation.mutate()}
          >
            {confirmLabel}
          </button>
        </div>
      </Dialog>
    </>
  );
}
