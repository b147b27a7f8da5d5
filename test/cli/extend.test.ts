import { expect, it, onTestFinished } from 'vitest';
import { listen } from '../../src/server/http/listen.ts';
import { apiOnEngine } from '../api/engine-api.ts';
import { token } from '../api/fixture.ts';
import { describeEachDatabase } from '../support/databases.ts';
import { cli } from './terminal.ts';

describeEachDatabase('leasegraph extend --key', (databases) => {
  it('extends a lease once, however often it is repeated', async () => {
    const { app } = await apiOnEngine(databases);
    const listening = await listen('127.0.0.1', 0);
    listening.serve(app);
    onTestFinished(() => listening.close(1_000));
    const server = ['--server', listening.url, '--token', token];
    const requested = await cli('request', '--machines', '1 CPU:100', '--duration', '1h', ...server);
    expect([requested.status, requested.err]).toEqual([0, '']);
    const extend = async (longer: string, key: string) => {
      const { out, err } = await cli('extend', '1', longer, '--key', key, '--json', ...server);
      return err === '' ? (JSON.parse(out) as { requestedDuration: string }).requestedDuration : err;
    };
    expect(await extend('30m', 'first')).toBe('PT1H30M');
    expect(await extend('30m', 'first')).toBe('PT1H30M');
    expect(await extend('30m', 'second')).toBe('PT2H');
    // The lease has another duration now than the first extension gave it: nothing is changed.
    expect(await extend('30m', 'first')).toBe(
      'leasegraph: idempotencyKey: The idempotency key "first" was used before with another input. Use a new key for a new request. [IDEMPOTENCY_CONFLICT]\n',
    );
    expect(await extend('30m', 'second')).toBe('PT2H');
  });
});
