/** A small generator of equal sequences for equal seeds (mulberry32). */
export const randomNumbers = (seed: number) => {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
};

/**
 * A trace (SWF) of jobs that arrive evenly and ask, on average, for `load` of the site: widths from 1 to a quarter of
 * it, mostly small; 10 minutes to 8 hours long; a third end early.
 */
export const syntheticTrace = (count: number, nodes: number, load: number, seed = 1): string => {
  const random = randomNumbers(seed);
  const lines = [`; ${count} jobs on ${nodes} nodes`];
  let arrival = 0;
  for (let job = 1; job <= count; job += 1) {
    const width = Math.max(1, Math.floor(2 ** (random() * Math.log2(nodes / 4))));
    const requested = 600 + Math.floor(random() ** 3 * 8 * 3600);
    const runs = random() < 1 / 3 ? Math.max(1, Math.floor(requested * random())) : requested;
    lines.push(
      `${job} ${Math.floor(arrival)} -1 ${runs} ${width} -1 -1 ${width} ${requested} -1 1 -1 -1 -1 -1 -1 -1 -1`,
    );
    arrival += (width * requested) / (nodes * load);
  }
  return `${lines.join('\n')}\n`;
};
