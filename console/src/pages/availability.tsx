import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { ConsoleAvailabilityDocument, type RequestLeaseInput } from '../api/generated/operations.ts';
import { useExecute, useSchedulerNow } from '../session/session.tsx';
import { formatInstant, formatRelative } from '../ui/format.ts';
import { Instant, QueryState } from '../ui/parts.tsx';
import { useSettings } from '../ui/settings.tsx';
import { planRefreshMs } from '../ui/use-plan.ts';
import { fromLocalInput, toLocalInput } from '../ui/zones.ts';

const day = 86_400_000;
const days = 7;

interface Window {
  readonly start: number;
  readonly end: number;
}

/** Availability of machines for a reservation: the earliest start, and the possible starts of a week. */
export function Availability({ input, onPick }: { input: RequestLeaseInput; onPick: (start: string) => void }) {
  const execute = useExecute();
  const now = useSchedulerNow();
  const { timeZone } = useSettings();
  const { machines, duration, project } = input;
  const query = useQuery({
    queryKey: ['plan', 'availability', machines, duration, project],
    queryFn: async ({ signal }) => {
      const from = now();
      const variables = {
        machines,
        duration,
        project: project ?? null,
        from: new Date(from).toISOString(),
        to: new Date(from + days * day).toISOString(),
      };
      const { availability } = await execute(ConsoleAvailabilityDocument, variables, signal);
      return { ...availability, from };
    },
    placeholderData: keepPreviousData,
    refetchInterval: planRefreshMs,
    retry: false,
  });
  const data = query.data;
  const windows = (data?.windows ?? []).map(({ start, end }) => ({
    start: Date.parse(start),
    end: Date.parse(end),
  }));
  return (
    <QueryState isPending={query.isPending} error={data ? null : query.error} retry={() => void query.refetch()}>
      {data?.earliestStart ? (
        <p>
          Earliest start: <Instant at={data.earliestStart} seconds={false} /> (
          {Date.parse(data.earliestStart) <= now() ? 'now' : formatRelative(data.earliestStart, now())}).
        </p>
      ) : (
        <p>Such machines are not available: the site is too small for them, or its nodes are not available.</p>
      )}
      {windows.length > 0 && data && (
        <>
          <Calendar windows={windows} from={data.from} timeZone={timeZone} />
          <p className="hint">
            Possible starts in the next {days} days; times in {timeZone}.
          </p>
          <ul className="plain windows">
            {windows.slice(0, 5).map(({ start, end }) => (
              <li key={start}>
                <button type="button" onClick={() => onPick(new Date(start).toISOString())}>
                  {formatInstant(start, timeZone, false)}
                </button>{' '}
                <span className="muted">or later, until {formatInstant(end, timeZone, false)}</span>
              </li>
            ))}
          </ul>
        </>
      )}
    </QueryState>
  );
}

/** Days vertically, hours horizontally; filled cells are possible starts. The list below says the same in words. */
function Calendar({ windows, from, timeZone }: { windows: readonly Window[]; from: number; timeZone: string }) {
  const midnight = Date.parse(fromLocalInput(`${toLocalInput(from, timeZone).slice(0, 10)}T00:00`, timeZone) ?? '');
  const label = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    weekday: 'short',
    day: 'numeric',
    month: 'short',
  });
  return (
    <table className="calendar">
      <caption className="visually-hidden">Possible starts by day</caption>
      <colgroup>
        <col className="day" />
        <col />
      </colgroup>
      <tbody>
        {Array.from({ length: days }, (_, index) => {
          const start = midnight + index * day;
          const share = (at: number) => Math.min(Math.max((at - start) / day, 0), 1) * 100;
          const within = windows.filter((window) => window.end > start && window.start < start + day);
          const free = within.reduce(
            (sum, window) => sum + Math.min(window.end, start + day) - Math.max(window.start, start),
            0,
          );
          return (
            <tr key={start}>
              <th scope="row">{label.format(start + day / 2)}</th>
              <td>
                <svg
                  viewBox="0 0 100 12"
                  preserveAspectRatio="none"
                  role="img"
                  aria-label={`${Math.round((free / day) * 100)} % of the day`}
                >
                  <rect className="track" width="100" height="12" />
                  {within.map((window) => (
                    <rect
                      key={window.start}
                      className="free"
                      x={share(window.start)}
                      width={Math.max(share(window.end) - share(window.start), 0.5)}
                      height="12"
                    />
                  ))}
                  {[25, 50, 75].map((x) => (
                    <line key={x} x1={x} x2={x} y1="0" y2="12" />
                  ))}
                </svg>
              </td>
            </tr>
          );
        })}
      </tbody>
      <tfoot aria-hidden="true">
        <tr>
          <th />
          <td>
            <span>00</span>
            <span>06</span>
            <span>12</span>
            <span>18</span>
            <span>24</span>
          </td>
        </tr>
      </tfoot>
    </table>
  );
}
