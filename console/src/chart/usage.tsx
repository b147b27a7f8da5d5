import { formatInstant } from '../ui/format.ts';
import { useSettings } from '../ui/settings.tsx';

interface Step {
  readonly start: number;
  /** Hours by group. */
  readonly values: ReadonlyMap<string, number>;
}

const width = 960;
const height = 180;
/** Number of groups with their own colour; the others are summed up. */
export const maxSeries = 6;
const others = 'Others';

/** Stacked bars of usage per group and part of a period. The table below has the sums. */
export function UsageChart({
  steps,
  names,
  to,
}: {
  steps: readonly Step[];
  /** By what they used, most first. */
  names: readonly string[];
  to: number;
}) {
  const { timeZone } = useSettings();
  const from = steps[0]?.start ?? to;
  const series = names.slice(0, maxSeries);
  const bars = steps.map(({ start, values }) => {
    const shown = series.map((name) => values.get(name) ?? 0);
    const total = [...values.values()].reduce((sum, value) => sum + value, 0);
    const rest = total - shown.reduce((sum, value) => sum + value, 0);
    return { start, total, shown: names.length > maxSeries ? [...shown, Math.max(rest, 0)] : shown };
  });
  const highest = Math.max(...bars.map(({ total }) => total), Number.MIN_VALUE);
  const step = width / Math.max(bars.length, 1);
  const format = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });
  const labels = names.length > maxSeries ? [...series, others] : series;
  return (
    <figure className="utilization usage">
      <svg viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" role="img" aria-label="Hours used over time">
        {bars.map(({ start, total, shown }, index) => {
          let top = height;
          return (
            <g key={start}>
              {shown.map((value, position) => {
                const barHeight = (value / highest) * (height - 8);
                top -= barHeight;
                return (
                  <rect
                    key={labels[position]}
                    className={`series-${position}`}
                    x={index * step + 3}
                    y={top}
                    width={step - 6}
                    height={barHeight}
                  />
                );
              })}
              <rect className="hover" x={index * step} y={0} width={step} height={height}>
                <title>{`${formatInstant(start, timeZone, false)}: ${format.format(total)} hours`}</title>
              </rect>
            </g>
          );
        })}
      </svg>
      <p className="axis" aria-hidden="true">
        {[0, 0.25, 0.5, 0.75, 1].map((share) => (
          <span key={share}>{formatInstant(from + share * (to - from), timeZone, false).replace(/ \d{4},/, '')}</span>
        ))}
      </p>
      <figcaption>
        <ul className="legend">
          {labels.map((name, position) => (
            <li key={name}>
              <span className={`swatch series-${position}`} aria-hidden="true" /> {name}
            </li>
          ))}
        </ul>
        <span className="muted">
          {formatInstant(from, timeZone, false)} to {formatInstant(to, timeZone, false)} ({timeZone}). Highest:{' '}
          {format.format(highest === Number.MIN_VALUE ? 0 : highest)} hours.
        </span>
      </figcaption>
    </figure>
  );
}
