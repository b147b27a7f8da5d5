/**
 * What must hold of a site whatever happened to it, judged from the records alone: nothing here knows how the scheduler
 * keeps its books. Each check returns the faults that it found; none when all is well.
 */
export * from './capacity.ts';
export * from './events.ts';
export * from './history.ts';

/** Throws an error that names the first faults. */
export function expectNoFaults(faults: readonly string[]): void {
  if (faults.length === 0) return;
  const more = faults.length > maxNamed ? `\n… ${faults.length} faults in all` : '';
  throw new Error(`${faults.slice(0, maxNamed).join('\n')}${more}`);
}

const maxNamed = 10;
