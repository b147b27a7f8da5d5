import { type ReactNode, useEffect, useRef } from 'react';
import { Link, useLocation } from 'wouter';
import type { Role } from './api/generated/operations.ts';
import { useLiveStatus } from './live/live.tsx';
import { useHasRole, useSession } from './session/session.tsx';
import { ErrorBoundary } from './ui/error-boundary.tsx';
import { formatEnum } from './ui/format.ts';
import { browserTimeZone, type Theme, useSettings } from './ui/settings.tsx';

const links = [
  ['/', 'Overview'],
  ['/schedule', 'Schedule'],
  ['/leases', 'Leases'],
  ['/leases/new', 'New lease'],
  ['/recurrences', 'Recurrences'],
  ['/nodes', 'Nodes'],
  ['/queue', 'Queue'],
  ['/notices', 'Notices'],
  ['/accounting', 'Accounting'],
  ['/projects', 'Projects'],
  ['/webhooks', 'Webhooks'],
  ['/access', 'Access'],
] as const;

/** Roles that pages need; all others are for everybody. */
const requiredRoles: Readonly<Record<string, Role>> = {
  '/leases/new': 'USER',
  '/webhooks': 'USER',
  '/access': 'ADMIN',
};

/** The frame of every page: navigation, settings and the state of the connection. */
export function Shell({ children }: { children: ReactNode }) {
  const [location] = useLocation();
  const { site, viewer, signOut } = useSession();
  const roles: Readonly<Record<string, boolean>> = { USER: useHasRole('USER'), ADMIN: useHasRole('ADMIN') };
  const offered = links.filter(([path]) => roles[requiredRoles[path] ?? ''] ?? true);
  const main = useRef<HTMLElement>(null);
  const list = useRef<HTMLUListElement>(null);
  const first = useRef(true);

  // A change of page moves the focus to its content, as loading a page would.
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when the page changes
  useEffect(() => {
    if (first.current) first.current = false;
    else main.current?.focus();
    const heading = main.current?.querySelector('h1')?.textContent;
    // On a narrow page the links are one line that scrolls. Scrolling to the link would scroll the page as well.
    const current = list.current?.querySelector<HTMLElement>('[aria-current]');
    if (list.current && current) list.current.scrollLeft = current.offsetLeft - list.current.offsetWidth / 3;
    document.title = heading ? `${heading} · ${site.name} · Leasegraph` : 'Leasegraph';
  }, [location, site.name]);

  return (
    <div className="shell">
      <a className="skip-link" href="#content">
        Skip to content
      </a>
      <nav className="side" aria-label="Main">
        <p className="brand">
          Leasegraph <span className="muted">{site.name}</span>
        </p>
        <ul ref={list}>
          {offered.map(([path, label]) => (
            <li key={path}>
              <Link href={path} aria-current={isCurrent(location, path) ? 'page' : undefined}>
                {label}
              </Link>
            </li>
          ))}
        </ul>
        <SettingsForm />
        <p className="hint viewer">
          {viewer.name} ({formatEnum(viewer.role).toLowerCase()})
        </p>
        <button type="button" onClick={() => signOut()}>
          Sign out
        </button>
      </nav>
      <div className="content">
        <ConnectionBanner />
        <main id="content" ref={main} tabIndex={-1}>
          <ErrorBoundary page={location}>{children}</ErrorBoundary>
        </main>
      </div>
    </div>
  );
}

function isCurrent(location: string, path: string): boolean {
  if (path === '/leases') return location.startsWith('/leases') && location !== '/leases/new';
  if (path === '/nodes' || path === '/recurrences') return location.startsWith(path);
  return location === path;
}

function ConnectionBanner() {
  const status = useLiveStatus();
  return (
    <div role="status" className="banner-place">
      {status === 'offline' && (
        <p className="banner">
          The connection to the server is lost. What this page shows may be out of date. It is updated as soon as the
          connection is back.
        </p>
      )}
    </div>
  );
}

function SettingsForm() {
  const { theme, timeZone, setTheme, setTimeZone } = useSettings();
  const { site } = useSession();
  const zones = [...new Set([browserTimeZone, site.timeZone, 'UTC', timeZone])];
  return (
    <div className="settings">
      <label>
        <span>Time zone</span>
        <select value={timeZone} onChange={(event) => setTimeZone(event.target.value)}>
          {zones.map((zone) => (
            <option key={zone} value={zone}>
              {zone === site.timeZone && zone !== browserTimeZone ? `${zone} (site)` : zone}
            </option>
          ))}
        </select>
      </label>
      <label>
        <span>Theme</span>
        <select value={theme} onChange={(event) => setTheme(event.target.value as Theme)}>
          <option value="system">System</option>
          <option value="light">Light</option>
          <option value="dark">Dark</option>
        </select>
      </label>
    </div>
  );
}
