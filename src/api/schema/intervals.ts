import { builder } from './builder.ts';

export const IntervalInput = builder.inputType('IntervalInput', {
  description: 'An interval [start, end).',
  fields: (t) => ({
    start: t.field({ type: 'DateTime', required: true, description: 'Its first instant.' }),
    end: t.field({ type: 'DateTime', required: true, description: 'The first instant after it.' }),
  }),
});

/** Interprets the arguments `from` and `to` of a list of reservations. */
export const intervalArgs = {
  from: 'Returns only reservations that end after this instant.',
  to: 'Returns only reservations that start before this instant.',
};
