/** The built console behind a server that invents what the API would answer: what is measured is the page alone. */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { WebSocketServer } from 'ws';

const built = fileURLToPath(new URL('../../dist/console', import.meta.url));
const hour = 3_600_000;
const types: Readonly<Record<string, string>> = {
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
};

export interface InventedSite {
  readonly nodes: number;
  readonly reservations: readonly object[];
}

export interface ConsoleServer extends Disposable {
  readonly url: string;
  /** Events sent to pages so far. */
  events(): number;
  /** Sends the page that subscribed last so many events at once. */
  send(count: number): void;
}

/** `site` is asked for each query. Each page that subscribes gets so many events per second. */
export async function serveConsole(site: () => InventedSite, eventsPerSecond = 0): Promise<ConsoleServer> {
  let events = 0;
  let send = () => {};
  const server = createServer((request, response) => {
    const path = request.url ?? '/';
    if (path.startsWith('/graphql') || path.startsWith('/sign-in/')) {
      let body = '';
      request.on('data', (chunk) => {
        body += chunk;
      });
      request.on('end', () => {
        response.setHeader('content-type', 'application/json');
        const { query = '' } = JSON.parse(body || '{}') as { query?: string };
        response.end(JSON.stringify({ data: answer(query, site(), events), openIdConnect: null }));
      });
      return;
    }
    const file = path.startsWith('/assets/') ? path : '/index.html';
    response.setHeader('content-type', types[extname(file)] ?? 'text/html');
    response.end(readFileSync(join(built, file)));
  });
  const sockets = new WebSocketServer({ server, path: '/graphql' });
  sockets.on('connection', (socket) => {
    let timer: NodeJS.Timeout | undefined;
    socket.on('close', () => clearInterval(timer));
    socket.on('message', (data) => {
      const message = JSON.parse(String(data)) as { type: string; id?: string };
      if (message.type === 'connection_init') socket.send('{"type":"connection_ack"}');
      if (message.type === 'ping') socket.send('{"type":"pong"}');
      if (message.type !== 'subscribe' || !String(data).includes('leaseEvents')) return;
      send = () => {
        events += 1;
        const leaseEvents = { sequence: events, from: 'READY', to: 'ACTIVE', lease: { number: events } };
        socket.send(JSON.stringify({ type: 'next', id: message.id, payload: { data: { leaseEvents } } }));
      };
      if (eventsPerSecond > 0) timer = setInterval(send, 1_000 / eventsPerSecond);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    events: () => events,
    send: (count) => {
      for (let index = 0; index < count; index += 1) send();
    },
    [Symbol.dispose]: () => {
      for (const socket of sockets.clients) socket.terminate();
      sockets.close();
      server.close();
    },
  };
}

export async function signIn(page: Page, url: string, path: string): Promise<void> {
  await page.goto(`${url}${path}`);
  await page.getByLabel('Token').fill('any');
  await page.getByRole('button', { name: 'Sign in' }).click();
}

/** Reservations one after the other on each node, from an hour ago to four hours ahead. */
export function scheduled(nodes: number, count: number, shift = 0): object[] {
  const kinds = ['VM', 'VM', 'VM', 'SUSPENSION', 'RESUMPTION', 'VM', 'SHUTDOWN'];
  const begin = Date.now() - hour;
  const span = (5 * hour) / (count / nodes);
  return Array.from({ length: count }, (_, index) => {
    const start = begin + Math.floor(index / nodes) * span;
    return {
      id: `r${shift + index}`,
      kind: kinds[(index + shift) % kinds.length],
      state: 'SCHEDULED',
      start: new Date(start).toISOString(),
      end: new Date(start + span * 0.9).toISOString(),
      nodes: [(index % nodes) + 1],
      leaseNumber: shift + index + 1,
      leaseName: `lease ${shift + index + 1}`,
      leaseState: 'ACTIVE',
      leaseType: 'BEST_EFFORT',
      leaseProject: null,
    };
  });
}

const onePage = { hasNextPage: false, hasPreviousPage: false, startCursor: null, endCursor: null };

function answer(query: string, { nodes, reservations }: InventedSite, events: number): object {
  const now = new Date().toISOString();
  const asks = (name: string): boolean => new RegExp(`(query|mutation) ${name}\\b`).test(query);
  if (asks('ConsoleViewer')) {
    return {
      viewer: { name: 'bench', role: 'VIEWER', projects: [] },
      site: { name: 'bench', resourceTypes: ['CPU'], timeZone: 'UTC', clockSpeed: 1 },
      serverTime: now,
    };
  }
  if (asks('ConsoleChartNodes')) {
    const all = Array.from({ length: nodes }, (_, index) => ({
      number: index + 1,
      hostname: `node-${index + 1}`,
      state: 'UP',
    }));
    return { nodes: { nodes: all, pageInfo: onePage } };
  }
  if (asks('ConsoleMaintenanceList')) return { maintenance: { totalCount: 0, nodes: [], pageInfo: onePage } };
  if (asks('ConsoleLeases')) {
    const rows = Array.from({ length: 50 }, (_, index) => leaseRow(events + 50 - index, now));
    return { leases: { totalCount: events + 50, nodes: rows, pageInfo: onePage } };
  }
  return { schedule: { isComplete: true, reservations } };
}

function leaseRow(number: number, now: string): object {
  return {
    id: `l${number}`,
    number,
    name: `lease ${number}`,
    type: 'BEST_EFFORT',
    state: 'ACTIVE',
    stateReason: null,
    submittedAt: now,
    requestedStart: null,
    requestedDuration: 'PT1H',
    deadline: null,
    estimatedStart: null,
    actualStart: now,
    endedAt: null,
    accumulatedDuration: 'PT0S',
    queuePosition: null,
    preemptible: true,
    estimatedEnd: now,
    owner: null,
    project: null,
  };
}
