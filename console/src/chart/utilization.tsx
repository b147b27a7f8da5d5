import type { ConsoleUtilizationQuery } from '../api/generated/operations.ts';
import { formatInstant } from '../ui/format.ts';
import { useSettings } from '../ui/settings.tsx';

type Sample = ConsoleUtilizationQuery['utilization'][number];

const kinds = [
  ['used', 'Running'],
  ['resuming', 'Resuming'],
  ['suspending', 'Suspending'],
  ['shuttingDown', 'Shutting down'],
] as const;

const width = 960;
const height = 160;

/** Stacked shares of the site's capacity over time, the plan lighter than the past. */
export function UtilizationChart({ samples, now }: { samples: readonly Sample[]; now: number }) {
  const { timeZone } = useSettings();
  const first = samples[0];
  const last = samples.at(-1);
  if (!first || !last) return <p className="muted">There are no samples for this interval.</p>;
  const from = Date.parse(first.start);
  const to = Date.parse(last.end);
  const x = (at: number) => ((at - from) / (to - from)) * width;
  const current = samples.find(({ start, end }) => Date.parse(start) <= now && now < Date.parse(end));
  const percent = (share: number) => `${Math.round(share * 100)} %`;
  const summary = current ? `Now: ${percent(1 - current.free)} in use.` : '';
  return (
    <figure className="utilization">
      <svg
        viewBox={`0 0 ${width} ${height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`Utilization over time. ${summary}`}
      >
        <line className="half" x1={0} x2={width} y1={height / 2} y2={height / 2} />
        {samples.map((sample) => {
          const start = Date.parse(sample.start);
          const left = x(start);
          const barWidth = Math.max(x(Date.parse(sample.end)) - left - 1, 0.5);
          let top = height;
          return (
            <g key={sample.start} className={start > now ? 'planned' : ''}>
              {kinds.map(([kind]) => {
                const barHeight = sample[kind] * height;
                top -= barHeight;
                return (
                  <rect key={kind} className={`kind-${kind}`} x={left} y={top} width={barWidth} height={barHeight} />
                );
              })}
              <rect className="hover" x={left} y={0} width={barWidth + 1} height={height}>
                <title>{`${formatInstant(start, timeZone, false)}: ${percent(1 - sample.free)} in use`}</title>
              </rect>
            </g>
          );
        })}
        <line className="now" x1={x(now)} x2={x(now)} y1={0} y2={height} />
      </svg>
      <p className="axis" aria-hidden="true">
        {[0, 0.25, 0.5, 0.75, 1].map((share) => (
          <span key={share}>{formatInstant(from + share * (to - from), timeZone, false).slice(-5)}</span>
        ))}
      </p>
      <figcaption>
        <ul className="legend">
          {kinds.map(([kind, label]) => (
            <li key={kind}>
              <span className={`swatch kind-${kind}`} aria-hidden="true" /> {label}
            </li>
          ))}
        </ul>
        <span className="muted">
          {formatInstant(from, timeZone, false)} to {formatInstant(to, timeZone, false)} ({timeZone}). {summary}
        </span>
      </figcaption>
    </figure>
  );
}
