/** Clients of the GraphQL server that cost little themselves: connections stay open, answers are only parsed. */
import { Agent, request } from 'node:http';
import { percentile } from './statistics.ts';

export interface Endpoint {
  readonly url: string;
  readonly token: string;
}

export interface Load {
  readonly count: number;
  readonly perSecond: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
}

/** Several clients, each of which does one thing after the other, until `count` are done or the time (ms) is over. */
export async function load(
  clients: number,
  limits: { readonly count: number; readonly time: number },
  operation: (index: number, client: number) => Promise<unknown>,
): Promise<Load> {
  const latencies: number[] = [];
  const begun = performance.now();
  let next = 0;
  const work = async (client: number) => {
    while (next < limits.count && performance.now() - begun < limits.time) {
      const sent = performance.now();
      await operation(next++, client);
      latencies.push(performance.now() - sent);
    }
  };
  await Promise.all(Array.from({ length: clients }, (_, client) => work(client)));
  const seconds = (performance.now() - begun) / 1_000;
  return {
    count: latencies.length,
    perSecond: latencies.length / seconds,
    p50: percentile(latencies, 50),
    p99: percentile(latencies, 99),
  };
}

export class GraphQLClient {
  private readonly agent = new Agent({ keepAlive: true, maxSockets: 256 });

  constructor(private readonly endpoint: Endpoint) {}

  /** Throws for anything but data. */
  async operation<T>(query: string, variables: object = {}): Promise<T> {
    const body = JSON.stringify({ query, variables });
    const answer = await this.send('POST', this.endpoint.url, body);
    const { data, errors } = JSON.parse(answer) as { data?: T; errors?: unknown };
    if (errors !== undefined || data == null) throw new Error(`the server answered ${answer}`);
    return data;
  }

  /** Values by name, as /metrics shows them; those with labels are added up. */
  async metrics(): Promise<(name: string) => number> {
    const text = await this.send('GET', new URL('/metrics', this.endpoint.url).href);
    const values = new Map<string, number>();
    for (const [, name = '', value] of text.matchAll(/^(\w+)(?:\{.*\})? (\S+)$/gm))
      values.set(name, (values.get(name) ?? 0) + Number(value));
    return (name) => values.get(name) ?? 0;
  }

  close(): void {
    this.agent.destroy();
  }

  private send(method: string, url: string, body = ''): Promise<string> {
    return new Promise((resolve, reject) => {
      const headers = {
        authorization: `Bearer ${this.endpoint.token}`,
        ...(body !== '' && {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
        }),
      };
      const sent = request(url, { method, headers, agent: this.agent }, (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk) => {
          text += chunk;
        });
        response.on('end', () => resolve(text));
        response.on('error', reject);
      });
      sent.on('error', reject);
      sent.end(body);
    });
  }
}
