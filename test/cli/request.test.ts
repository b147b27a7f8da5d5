import { afterAll, describe, expect, it } from 'vitest';
import { CommandError } from '../../src/engine/ports.ts';
import { listen } from '../../src/server/http/listen.ts';
import { apiOnNewDatabase, lease, now, token } from '../api/fixture.ts';
import { cli } from './terminal.ts';

const api = await apiOnNewDatabase();
const listening = await listen('127.0.0.1', 0);
listening.serve(api.app);
afterAll(async () => {
  await listening.close(1_000);
  await api[Symbol.asyncDispose]();
});

describe('request --wait', () => {
  it('tells what becomes of the lease where events before its own are no longer kept', async () => {
    const event = (sequence: number, from: 'NEW' | 'READY' | 'ACTIVE', to: 'PENDING' | 'ACTIVE' | 'DONE') =>
      ({ sequence, at: now, leaseId: 7, from, to, reason: null }) as const;
    await api.prisma.lease.create({ data: lease(7, { state: 'DONE' }) });
    await api.prisma.leaseEvent.create({
      data: { sequence: 41, at: new Date(now), leaseNumber: 7, from: 'NEW', to: 'PENDING' },
    });
    api.leases.answer = async () => 7;
    api.leases.publish(
      event(41, 'NEW', 'PENDING'),
      event(42, 'READY', 'ACTIVE'),
      event(43, 'ACTIVE', 'DONE'),
    );
    const events = api.leases.events.bind(api.leases);
    api.leases.events = (options) => {
      if ((options.after ?? 40) < 40)
        throw new CommandError('EVENTS_EXPIRED', 'the oldest that is kept is 41');
      return events(options);
    };
    const { status, out, err } = await cli(
      ...['request', '--machines', '1 CPU:100', '--duration', '1h', '--wait'],
      ...['--server', listening.url, '--token', token],
    );
    expect([status, err.match(/-> \w+/g)]).toEqual([0, ['-> PENDING', '-> ACTIVE', '-> DONE']]);
    expect(out).toContain('DONE');
  });
});

it('does not ask for a start that no calendar has', async () => {
  api.leases.requests.length = 0;
  for (const after of ['99999999d', '9000000d']) {
    const { status, err } = await cli(
      ...['request', '--type', 'advance-reservation', '--start', `+${after}`],
      ...['--machines', '1 CPU:100', '--duration', '1h', '--server', listening.url, '--token', token],
    );
    expect([status, err]).toEqual([2, 'leasegraph: --start: is not between the years 1970 and 9999\n']);
  }
  expect(api.leases.requests).toEqual([]);
});
