import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { ApiError } from './api/client.ts';
import { App } from './app.tsx';
import { SettingsProvider } from './ui/settings.tsx';
import './ui/base.css';
import './ui/components.css';
import './ui/layout.css';
import './chart/chart.css';

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      // Events say when something has changed (live/live.tsx).
      staleTime: 5_000,
      retry: (failures, error) => error instanceof ApiError && error.retryable && failures < 10,
      retryDelay: (failures) => Math.min(500 * 2 ** failures, 5_000),
    },
  },
});

const root = document.getElementById('root');
if (root === null) throw new Error('The page has no element "root".');
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <SettingsProvider>
        <App />
      </SettingsProvider>
    </QueryClientProvider>
  </StrictMode>,
);
