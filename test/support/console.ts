/** What tests of the web console have in common: a server with data, and the steps of a person in the browser. */
import type { Page } from 'playwright-core';
import type { ServerProcess } from './server-process.ts';

export const machines = (count: number) => [
  {
    count,
    capacity: [
      { type: 'CPU', amount: 100 },
      { type: 'Memory', amount: 256 },
    ],
  },
];

/** A server and the API behind the console. */
export class Site {
  constructor(public server: ServerProcess) {}

  address(path: string): string {
    return new URL(path, this.server.url).href;
  }

  async ask<Data = Record<string, never>>(query: string, variables: object = {}): Promise<Data> {
    const response = await fetch(this.server.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${this.server.token}` },
      body: JSON.stringify({ query, variables }),
    });
    const { data, errors } = (await response.json()) as { data: Data; errors?: unknown };
    if (errors !== undefined) throw new Error(JSON.stringify(errors));
    return data;
  }

  /** The number of a new lease. */
  async request(name: string, input: object = {}): Promise<number> {
    const { requestLease } = await this.ask<{ requestLease: { lease: { number: number } } }>(
      'mutation ($input: RequestLeaseInput!) { requestLease(input: $input) { lease { number } } }',
      { input: { type: 'BEST_EFFORT', name, duration: 'PT1H', machines: machines(2), ...input } },
    );
    return requestLease.lease.number;
  }

  async stateOf(number: number): Promise<string> {
    const query = 'query ($number: Int!) { lease(number: $number) { state } }';
    return (await this.ask<{ lease: { state: string } }>(query, { number })).lease.state;
  }

  /** Leaves all nodes free. */
  async cancelAll(): Promise<void> {
    const query = '{ leases(filter: { live: true }, first: 100) { nodes { id } } }';
    const { leases } = await this.ask<{ leases: { nodes: readonly { id: string }[] } }>(query);
    for (const { id } of leases.nodes) {
      await this.ask('mutation ($id: ID!) { cancelLease(input: { id: $id }) { lease { id } } }', { id });
    }
  }

  async nodes(): Promise<readonly { id: string; number: number; hostname: string; state: string }[]> {
    const { nodes } = await this.ask<{ nodes: { nodes: [] } }>('{ nodes { nodes { id number hostname state } } }');
    return nodes.nodes;
  }

  async signIn(page: Page, path = '/', token = this.server.token): Promise<void> {
    await page.goto(this.address(path));
    await page.getByLabel('Token').fill(token);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('navigation', { name: 'Main' }).waitFor();
  }
}

/** Follows a link of the navigation. */
export async function follow(page: Page, link: string): Promise<void> {
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: link, exact: true }).click();
  await page.getByRole('heading', { level: 1, name: link, exact: true }).waitFor();
}

/** Presses Tab until the element with the focus has this text or label. */
export async function tabTo(page: Page, label: RegExp): Promise<void> {
  for (let steps = 0; steps < 80; steps += 1) {
    const focused = await page.evaluate(() => {
      const element = document.activeElement as HTMLElement | null;
      if (element === document.body) return '';
      const labels = (element as HTMLInputElement | null)?.labels;
      return `${labels?.[0]?.textContent ?? ''} ${element?.textContent ?? ''}`;
    });
    if (label.test(focused)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`Tab does not reach ${label}`);
}
