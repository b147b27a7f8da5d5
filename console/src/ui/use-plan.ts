import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useDelayed } from './use-delayed.ts';

/** Interval at which dry runs are repeated: each takes a turn of the scheduler. */
export const planRefreshMs = 10_000;
/** The dry run is executed when typing pauses. */
const pauseMs = 400;

export interface PlanAnswer<Answer> {
  /** The newest answer; that of an earlier input while the current one is awaited. */
  readonly data: Answer | null;
  /** The server could not be asked, or refused to answer. */
  readonly error: Error | null;
  /** Whether `data` is the answer to the current input. */
  readonly isCurrent: boolean;
}

/**
 * Executes the dry run of an input, and repeats it every ten seconds. Null: nothing to execute. `name` distinguishes
 * the dry runs of the console.
 */
export function usePlan<Input, Answer>(
  name: string,
  input: Input | null,
  ask: (input: Input, signal: AbortSignal) => Promise<Answer>,
): PlanAnswer<Answer> {
  const present = input === null ? null : JSON.stringify(input);
  const asked = useDelayed(present, pauseMs);
  const query = useQuery({
    queryKey: ['plan', name, asked],
    queryFn: ({ signal }) => ask(JSON.parse(asked ?? 'null') as Input, signal),
    enabled: asked !== null,
    placeholderData: keepPreviousData,
    refetchInterval: planRefreshMs,
    retry: false,
  });
  const isCurrent = asked !== null && asked === present && query.isSuccess && !query.isPlaceholderData;
  return { data: query.data ?? null, error: query.error, isCurrent };
}
