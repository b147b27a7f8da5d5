import { useCallback, useState } from 'react';

/** State that survives leaving the page, a reload and an expired session while the tab is open. `forget` resets it. */
export function useStoredState<T>(key: string, initial: () => T): [T, (value: T) => void, () => void] {
  const storageKey = `leasegraph.${key}`;
  const [value, setValue] = useState<T>(() => {
    const stored = sessionStorage.getItem(storageKey);
    return stored === null ? initial() : (JSON.parse(stored) as T);
  });
  const change = useCallback(
    (next: T) => {
      setValue(next);
      sessionStorage.setItem(storageKey, JSON.stringify(next));
    },
    [storageKey],
  );
  const forget = useCallback(() => sessionStorage.removeItem(storageKey), [storageKey]);
  return [value, change, forget];
}
