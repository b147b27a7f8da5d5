import { useState } from 'react';

export interface Cursors {
  /** The cursor of the current page; null for the first one. */
  readonly cursor: string | null;
  readonly hasPrevious: boolean;
  readonly next: (cursor: string | null | undefined) => void;
  readonly previous: () => void;
  /** Back to the first page, as when the filter changes. */
  readonly reset: () => void;
}

/** Navigation through the pages of a list: each is found from the previous one. */
export function useCursors(): Cursors {
  const [cursors, setCursors] = useState<readonly (string | null)[]>([null]);
  return {
    cursor: cursors.at(-1) ?? null,
    hasPrevious: cursors.length > 1,
    next: (cursor) => setCursors([...cursors, cursor ?? null]),
    previous: () => setCursors(cursors.slice(0, -1)),
    reset: () => setCursors([null]),
  };
}
