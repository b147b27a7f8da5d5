import { badInput, shown } from '../errors.ts';
import { maxSamples } from '../limits.ts';
import { intervalOf } from '../read/interval.ts';
import { type Sample, type Steps, sampleCount } from '../read/utilization.ts';
import { builder } from './builder.ts';

const UtilizationSample = builder.objectRef<Sample>('UtilizationSample').implement({
  description: "Shares of the site's capacity, 0 to 1, on average over [start, end).",
  fields: (t) => ({
    start: t.field({ type: 'DateTime', description: 'Its first instant.', resolve: ({ start }) => start }),
    end: t.field({ type: 'DateTime', description: 'The first instant after it.', resolve: ({ end }) => end }),
    used: t.exposeFloat('used', { description: 'Held by running machines.' }),
    suspending: t.exposeFloat('suspending', { description: 'Held by machines that are being suspended.' }),
    resuming: t.exposeFloat('resuming', { description: 'Held by machines that are being resumed.' }),
    shuttingDown: t.exposeFloat('shuttingDown', { description: 'Held by machines that shut down.' }),
    free: t.exposeFloat('free', { description: 'Not held.' }),
  }),
});

builder.queryField('utilization', (t) =>
  t.field({
    type: [UtilizationSample],
    description: `Past and planned use of the site's capacity of one resource over time. At most ${maxSamples} samples.`,
    extensions: {
      listSize: (steps: Steps) => (steps.step > 0 ? Math.min(Math.max(sampleCount(steps), 0), maxSamples) : 0),
    },
    args: {
      resource: t.arg.string({ defaultValue: 'CPU', description: 'The type of resource.' }),
      from: t.arg({ type: 'DateTime', required: true, description: 'The start of the first sample.' }),
      to: t.arg({ type: 'DateTime', required: true, description: 'The end of the last sample.' }),
      step: t.arg({
        type: 'Duration',
        required: true,
        description: 'The length of a sample (the last one may be shorter).',
      }),
    },
    resolve: (_root, { resource, from, to, step }, { read, signal, services: { site } }) => {
      const type = resource ?? 'CPU';
      if (!site.resourceTypes.includes(type)) {
        throw badInput(`The site has no resource ${shown(type)}. Its resources are ${site.resourceTypes.join(', ')}.`);
      }
      intervalOf(from, to);
      if (step === 0) throw badInput('`step` must be longer than 0.');
      const samples = sampleCount({ from, to, step });
      if (samples > maxSamples) {
        throw badInput(
          `The result would have ${samples} samples; the maximum is ${maxSamples}. Use a longer step or a shorter interval.`,
        );
      }
      return read.utilization(type, { from, to, step }, signal ?? null);
    },
  }),
);
