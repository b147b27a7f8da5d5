import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useDelayed } from './use-delayed.ts';

/** How often what-if questions are asked again: each takes a turn of the scheduler. */
export const planRefreshMs = 10_000;
/** A question is asked when the person pauses. */
const pauseMs = 400;

export interface PlanAnswer<Answer> {
  /** The newest answer; the one to an earlier input while that to the present one is awaited. */
  readonly data: Answer | null;
  /** The server could not be asked, or refused to answer. */
  readonly error: Error | null;
  /** Whether `data` is the answer to the present input. */
  readonly isCurrent: boolean;
}

/**
 * Asks the server what would happen with an input, and again every ten seconds. Null asks nothing. `name` tells the
 * questions of the console apart.
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
