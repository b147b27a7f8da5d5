import type { ConsoleLeaseDetailQuery } from '../api/generated/operations.ts';
import { type ActionRecovery, ConsoleRecoverActionDocument } from '../api/generated/operations.ts';
import { useExecute, useHasRole } from '../session/session.tsx';
import { assertDone, ConfirmButton } from '../ui/confirm.tsx';

type Action = NonNullable<ConsoleLeaseDetailQuery['lease']>['actions']['nodes'][number];

const recoveries: readonly (readonly [ActionRecovery, string, string])[] = [
  ['RETRY', 'Retry', 'The host is told again.'],
  ['ASSUME_SUCCESS', 'Assume success', 'The scheduler goes on as if the host had done it. Check the host first.'],
  ['ASSUME_FAILURE', 'Assume failure', 'The scheduler goes on as if the host had failed.'],
];

/** The output of an action and, for operators, ways to resolve a stuck one. */
export function ActionOutput({ action }: { action: Action }) {
  const execute = useExecute();
  const isOperator = useHasRole('OPERATOR');
  // Machines that are not removed keep their capacity.
  const possible = recoveries.filter(([recovery]) => action.kind !== 'DESTROY' || recovery !== 'ASSUME_FAILURE');
  return (
    <>
      {action.error && <p className="error">{action.error}</p>}
      {action.output && (
        <details>
          <summary>Output</summary>
          <pre>{action.output}</pre>
        </details>
      )}
      {isOperator && action.finishedAt === null && (
        <div className="actions">
          {possible.map(([recovery, label, consequence]) => (
            <ConfirmButton
              key={recovery}
              label={label}
              title={`${label}?`}
              confirmLabel={label}
              cancelLabel="Go back"
              action={async () => {
                const input = { id: action.id, recovery };
                assertDone((await execute(ConsoleRecoverActionDocument, { input })).recoverAction.userErrors);
              }}
            >
              <p>{consequence}</p>
            </ConfirmButton>
          ))}
        </div>
      )}
    </>
  );
}
