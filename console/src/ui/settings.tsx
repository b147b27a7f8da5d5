import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from 'react';

export type Theme = 'system' | 'light' | 'dark';

export interface Settings {
  readonly theme: Theme;
  /** An IANA zone: the browser's, the site's or UTC. */
  readonly timeZone: string;
  setTheme(theme: Theme): void;
  setTimeZone(timeZone: string): void;
}

export const browserTimeZone = Intl.DateTimeFormat().resolvedOptions().timeZone;

const SettingsContext = createContext<Settings | null>(null);

export function SettingsProvider({ children }: { children: ReactNode }) {
  const [theme, setTheme] = useState<Theme>(() => (localStorage.getItem('leasegraph.theme') as Theme) ?? 'system');
  const [timeZone, setTimeZone] = useState(() => localStorage.getItem('leasegraph.time-zone') ?? browserTimeZone);
  useEffect(() => {
    localStorage.setItem('leasegraph.theme', theme);
    document.documentElement.dataset.theme = theme;
  }, [theme]);
  useEffect(() => localStorage.setItem('leasegraph.time-zone', timeZone), [timeZone]);
  const settings = useMemo(() => ({ theme, timeZone, setTheme, setTimeZone }), [theme, timeZone]);
  return <SettingsContext.Provider value={settings}>{children}</SettingsContext.Provider>;
}

export function useSettings(): Settings {
  const settings = useContext(SettingsContext);
  if (settings === null) throw new Error('useSettings is used outside of a SettingsProvider.');
  return settings;
}
