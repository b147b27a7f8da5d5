import { once } from 'node:events';
import { expect, it } from 'vitest';
import type { ForwardedCommand, Store } from '../../src/engine/ports.ts';
import { describeEachDatabase } from '../support/databases.ts';
import { batch, event, lease, newSite } from './site.ts';

/** The next commands that the writer sees, without polling. */
async function nextCommands(store: Store, count: number): Promise<readonly ForwardedCommand[]> {
  let wake = () => {};
  await using _ = await store.listen((notice) => {
    if (notice === 'commands') wake();
  });
  for (;;) {
    const noticed = new Promise<void>((resolve) => {
      wake = resolve;
    });
    const commands = await store.forwarded(100);
    if (commands.length >= count) return commands;
    await noticed;
  }
}

describeEachDatabase('a command passed on to the writer', (database) => {
  /** A writer and, on a server, a standby in another process. */
  const begin = async () => {
    const { open } = await database.create();
    const store = await open();
    return {
      store,
      writer: await newSite(store),
      standby: database.kind === 'server' ? await open() : store,
    };
  };

  it('is answered once the answer is committed', async () => {
    const { store, standby, writer } = await begin();
    const payload = { do: 'request', 'with \u0000': ['anything', 1, null] };
    const answer = standby.forward(payload, AbortSignal.timeout(120_000));
    const [command] = await nextCommands(store, 1);
    expect(command?.payload).toEqual({ do: 'request', 'with \uFFFD': ['anything', 1, null] });
    await store.commit(
      batch(null, {}, { answers: [{ commandId: command?.id ?? '', answer: { leaseNumber: 7 } }] }),
      writer,
    );
    expect(await answer).toEqual({ leaseNumber: 7 });
    expect(await store.forwarded(10)).toEqual([]);
    expect(await store.prisma.command.count()).toBe(0);
  });

  it('is delivered in order among many', async () => {
    const { store, standby, writer } = await begin();
    const answers: Promise<unknown>[] = [];
    for (let number = 0; number < 20; number++) {
      answers.push(standby.forward({ number }, AbortSignal.timeout(120_000)));
      if (number < 3) await nextCommands(store, number + 1);
    }
    const commands = await nextCommands(store, 20);
    expect(commands.slice(0, 3).map((one) => one.payload)).toEqual([{ number: 0 }, { number: 1 }, { number: 2 }]);
    expect(await store.forwarded(5)).toEqual(commands.slice(0, 5));
    await store.commit(
      batch(null, {}, { answers: commands.map((one) => ({ commandId: one.id, answer: one.payload })) }),
      writer,
    );
    expect(await Promise.all(answers)).toEqual(Array.from({ length: 20 }, (_, number) => ({ number })));
  });

  it('may be answered with null', async () => {
    const { store, standby, writer } = await begin();
    const answer = standby.forward('cancel', AbortSignal.timeout(120_000));
    const [command] = await nextCommands(store, 1);
    await store.commit(batch(null, {}, { answers: [{ commandId: command?.id ?? '', answer: null }] }), writer);
    expect(await answer).toBeNull();
  });

  it('is withdrawn when its caller stops waiting', async () => {
    const { store, standby } = await begin();
    const giveUp = new AbortController();
    const answer = standby.forward('too late', giveUp.signal);
    await nextCommands(store, 1);
    giveUp.abort(new Error('given up'));
    await expect(answer).rejects.toThrow('given up');
    await expect(standby.forward('never', giveUp.signal)).rejects.toThrow('given up');
    await expect.poll(() => store.forwarded(10)).toEqual([]);
  });

  it('is not carried out when its caller can no longer be waiting', async () => {
    const { store } = await begin();
    const insert = (age: string) =>
      store.prisma.$executeRawUnsafe(
        `INSERT INTO commands (id, payload, created_at) VALUES (gen_random_uuid(), '{}', now() - interval '${age}')`,
      );
    await insert('2 minutes');
    expect(await store.forwarded(10)).toEqual([]);
  });

  it('is not carried out again after an answer, even if the answer was never fetched', async () => {
    const { store } = await begin();
    const insert = (answered: string) =>
      store.prisma.$executeRawUnsafe(
        `INSERT INTO commands (id, payload, answer, answered_at) VALUES (gen_random_uuid(), '{}', ${answered})`,
      );
    await insert(`'{}', now()`);
    expect(await store.forwarded(10)).toEqual([]);
    await insert('NULL, NULL');
    expect(await store.forwarded(10)).toHaveLength(1);
  });

  it('fails when the store closes', async () => {
    const { store, standby } = await begin();
    const closing = AbortSignal.timeout(120_000);
    const answer = standby.forward('wait', closing);
    const failure = expect(answer).rejects.toMatchObject({ name: 'StoreError', kind: 'TRANSIENT' });
    await nextCommands(store, 1);
    await standby.close();
    await failure;
    expect(closing.aborted).toBe(false);
  });

  it('can be answered without a notification', async () => {
    const { store, standby, writer } = await begin();
    const answer = standby.forward('poll', AbortSignal.timeout(10_000));
    const [command] = await nextCommands(store, 1);
    expect(writer.lost.aborted).toBe(false);
    // Without the NOTIFY that a commit sends.
    await store.prisma.command.update({
      where: { id: command?.id ?? '' },
      data: { answer: 'found', answeredAt: new Date() },
    });
    expect(await answer).toBe('found');
  });
});

describeEachDatabase('a notice of events', (database) => {
  it('is reported only for commits of other processes', async () => {
    const { open } = await database.create();
    const store = await open();
    const heard: string[] = [];
    await using _ = await store.listen((notice) => heard.push(`own ${notice}`));
    const writer = await newSite(store);
    const other = database.kind === 'server' ? await open() : null;
    const noticed = new EventTarget();
    const events = once(noticed, 'events');
    await using __ = await (other ?? store).listen((notice) => noticed.dispatchEvent(new Event(notice)));
    await store.commit(batch(null, { leases: [lease(1)], events: [event(1, 1)] }), writer);
    if (other !== null) await events;
    const answer = store.forward('ping', AbortSignal.timeout(120_000));
    const failure = expect(answer).rejects.toMatchObject({ name: 'StoreError' });
    const [command] = await nextCommands(store, 1);
    expect(command?.payload).toBe('ping');
    expect(heard).toEqual(['own commands']);
    await store.close();
    await failure;
  });
});
