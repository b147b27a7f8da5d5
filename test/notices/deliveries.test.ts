import { randomBytes } from 'node:crypto';
import { once, setMaxListeners } from 'node:events';
import fc from 'fast-check';
import { pino } from 'pino';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { NoticeRecord } from '../../src/engine/ports.ts';
import { AddressRules } from '../../src/notices/addresses.ts';
import { Deliverer, type DeliverySettings } from '../../src/notices/deliverer.ts';
import { type Delivery, DeliveryQueue } from '../../src/notices/queue.ts';
import { SecretBox, SecretKeyError } from '../../src/notices/secret-box.ts';
import { signatureOf } from '../../src/notices/signature.ts';
import { Webhooks } from '../../src/notices/webhooks.ts';
import type { OpenStore } from '../../src/store/index.ts';
import { batch, lease, newSite, noon } from '../store/site.ts';
import { describeDatabase } from '../support/databases.ts';
import { documentedVerification, type Received, startReceiver } from './receiver.ts';

const secret = 'whsec_a-secret-for-tests';
const settings: DeliverySettings = {
  ...{ allowHttp: true, timeout: 5_000, retryDelay: 1, maxRetryDelay: 5, maxAttempts: 3 },
  ...{ concurrency: 8, concurrencyPerWebhook: 4 },
};

/** Tells when the outcome of an attempt is recorded. */
class WatchedQueue extends DeliveryQueue {
  readonly outcomes: string[] = [];
  private readonly recorded = new EventTarget();

  constructor(prisma: ConstructorParameters<typeof DeliveryQueue>[0]) {
    super(prisma);
    setMaxListeners(0, this.recorded);
  }

  override async succeeded(delivery: Delivery, status: number): Promise<void> {
    await super.succeeded(delivery, status);
    this.note(`succeeded ${delivery.notice?.sequence ?? 'test'}`);
  }

  override async failed(...args: Parameters<DeliveryQueue['failed']>): Promise<void> {
    await super.failed(...args);
    this.note(`failed ${args[0].notice?.sequence ?? 'test'}`);
  }

  override async pause(webhook: number, reason: string): Promise<boolean> {
    const isPaused = await super.pause(webhook, reason);
    if (isPaused) this.note('paused');
    return isPaused;
  }

  override async released(delivery: Delivery): Promise<void> {
    await super.released(delivery);
    this.note(`released ${delivery.notice?.sequence ?? 'test'}`);
  }

  async has(outcome: string, count = 1): Promise<void> {
    while (this.outcomes.filter((each) => each === outcome).length < count) await once(this.recorded, 'outcome');
  }

  private note(outcome: string): void {
    this.outcomes.push(outcome);
    this.recorded.dispatchEvent(new Event('outcome'));
  }
}

const notice = (sequence: number, leaseId: number | null = 1, rest: Partial<NoticeRecord> = {}): NoticeRecord => ({
  ...{ sequence, at: noon + sequence * 1_000, kind: 'LEASE_MOVED', message: `notice ${sequence}`, leaseId },
  ...{ project: null, node: null, maintenance: null, reason: null, facts: {} },
  ...rest,
});

/** What commits notices, one commit each. */
async function site(store: OpenStore) {
  const writer = await newSite(store);
  let previous: string | null = null;
  return {
    commit: async (...notices: readonly NoticeRecord[]) => {
      const written = batch(previous, { leases: [lease(1), lease(2), lease(3)] }, { notices });
      await store.commit(written, writer);
      previous = written.id;
    },
  };
}

function start(
  store: OpenStore,
  overrides: Partial<DeliverySettings> = {},
  isWriter = () => true,
  secrets = new SecretBox(null),
  log = pino({ level: 'silent' }),
) {
  const queue = new WatchedQueue(store.prisma);
  const deliverer = new Deliverer({
    queue,
    addresses: new AddressRules(['127.0.0.0/8']),
    settings: { ...settings, ...overrides },
    secrets,
    site: 'test',
    isWriter,
    log,
    metrics: { attempt: () => {}, paused: () => {}, counts: () => {} },
  });
  deliverer.start();
  onTestFinished(() => deliverer.stop());
  return { deliverer, queue };
}

const webhooksOf = (store: OpenStore): Webhooks =>
  new Webhooks(store.prisma, { allowedNetworks: ['127.0.0.0/8'], allowHttp: true });

describeDatabase('server', 'deliveries', (database) => {
  const open = async () => (await database.create()).open();
  const made = { kinds: [], project: null, owner: 'admin', secret } as const;

  it('are signed, and say what the notice says', async () => {
    const store = await open();
    const { commit } = await site(store);
    const receiver = await startReceiver();
    await webhooksOf(store).create({ ...made, url: receiver.url });
    const { deliverer, queue } = start(store);
    await commit(
      notice(1, 2, {
        ...{ project: 7, reason: { code: 'MAINTENANCE', message: 'why' } },
        facts: { start: noon, previousStart: noon - 1_000 },
      }),
      notice(2, null, { kind: 'NODE_DOWN', node: 3 }),
    );
    deliverer.wake();
    await Promise.all([queue.has('succeeded 1'), queue.has('succeeded 2')]);
    const [first, second] = [...receiver.requests].sort((a, b) => a.body.sequence - b.body.sequence) as [
      Received,
      Received,
    ];
    const isGenuine = await documentedVerification();
    const { signature, text } = first;
    expect(isGenuine(secret, signature, text)).toBe(true);
    expect(isGenuine('another secret', signature, text)).toBe(false);
    expect(isGenuine(secret, signature, `${text} `)).toBe(false);
    expect(isGenuine(secret, signatureOf(secret, Math.floor(Date.now() / 1_000) - 600, text), text)).toBe(false);
    expect(first.body).toEqual({
      ...{ id: first.id, kind: 'LEASE_MOVED', site: 'test', message: 'notice 1', sequence: 1 },
      at: new Date(noon + 1_000).toISOString(),
      lease: { id: Buffer.from('Lease:2').toString('base64'), number: 2 },
      project: { id: Buffer.from('Project:7').toString('base64'), number: 7 },
      node: null,
      reason: { code: 'MAINTENANCE', message: 'why' },
      start: new Date(noon).toISOString(),
      previousStart: new Date(noon - 1_000).toISOString(),
    });
    expect(second).toMatchObject({ kind: 'NODE_DOWN', body: { lease: null, node: { number: 3 } } });
    expect(await store.prisma.webhookDelivery.findFirst({ where: { noticeSequence: 1n } })).toMatchObject({
      ...{ id: first.id, state: 'SUCCEEDED', attempts: 1, status: 204, error: null },
    });
  });

  it('are signed with secrets that the database holds encrypted', async () => {
    const store = await open();
    const { commit } = await site(store);
    const receiver = await startReceiver();
    const box = new SecretBox(randomBytes(32));
    const rows = () => store.prisma.webhook.findMany({ orderBy: { number: 'asc' } });
    // One from before there was a key, one that is new, and one that is replaced.
    await webhooksOf(store).create({ ...made, url: receiver.url });
    await box.encryptStored(store.prisma);
    const sealing = new Webhooks(store.prisma, { allowedNetworks: ['127.0.0.0/8'], allowHttp: true }, box);
    await sealing.create({ ...made, url: receiver.url });
    const { number } = await sealing.create({ ...made, url: receiver.url, secret: 'replaced soon enough' });
    await sealing.update(number, { secret });
    const stored = (await rows()).map((row) => row.secret);
    expect(new Set(stored).size).toBe(3);
    for (const each of stored) {
      expect(each).toMatch(/^aes-256-gcm [\w-]+$/);
      expect(box.open(each)).toBe(secret);
    }
    const { deliverer, queue } = start(store, {}, () => true, box);
    await commit(notice(1));
    deliverer.wake();
    await queue.has('succeeded 1', 3);
    const isGenuine = await documentedVerification();
    expect(receiver.requests.map(({ signature, text }) => isGenuine(secret, signature, text))).toEqual([
      ...[true, true, true],
    ]);
    // With another key, without one, or with damaged rows nothing changes and nothing is signed.
    for (const other of [new SecretBox(randomBytes(32)), new SecretBox(null)])
      await expect(other.encryptStored(store.prisma)).rejects.toThrow(SecretKeyError);
    expect((await rows()).map((row) => row.secret)).toEqual(stored);
    expect(() => box.open(`${stored[0]?.slice(0, -2)}AA`)).toThrow(SecretKeyError);
    expect(() => box.open('aes-256-gcm ')).toThrow(SecretKeyError);
  });

  it('are made for webhooks of the kind and the project, and not for disabled ones', async () => {
    const store = await open();
    const { commit } = await site(store);
    const webhooks = webhooksOf(store);
    const { number: ofKind } = await webhooks.create({
      ...made,
      url: 'https://a.example',
      kinds: ['NODE_DOWN'],
    });
    const { number: ofProject } = await webhooks.create({ ...made, url: 'https://b.example', project: 7 });
    const { number: disabled } = await webhooks.create({ ...made, url: 'https://c.example' });
    await webhooks.update(disabled, { active: false });
    await commit(notice(1, 1, { project: 7 }), notice(2, 2, { project: 8 }), notice(3, null, { kind: 'NODE_DOWN' }));
    const rows = await store.prisma.webhookDelivery.findMany({ orderBy: { number: 'asc' } });
    expect(rows.map(({ webhookNumber, noticeSequence }) => [webhookNumber, Number(noticeSequence)])).toEqual([
      [ofProject, 1],
      [ofKind, 3],
    ]);
  });

  it('name leases of other projects to the site alone', async () => {
    const store = await open();
    const { commit } = await site(store);
    const receiver = await startReceiver();
    const webhooks = webhooksOf(store);
    const { number: ofSite } = await webhooks.create({ ...made, url: receiver.url });
    await webhooks.create({ ...made, url: receiver.url, project: 7 });
    const because = (sequence: number, lease: number) =>
      notice(sequence, 1, {
        ...{ project: 7, message: `Lease 1 was preempted: lease ${lease} takes its place.` },
        reason: { code: 'PREEMPTED', message: `lease ${lease} takes its place` },
      });
    await commit(because(1, 2), because(2, 3));
    await store.prisma.lease.updateMany({ where: { number: { in: [1, 2] } }, data: { projectNumber: 7 } });
    const { queue } = start(store);
    await Promise.all([queue.has('succeeded 1', 2), queue.has('succeeded 2', 2)]);
    const deliveries = await store.prisma.webhookDelivery.findMany({ where: { webhookNumber: ofSite } });
    const ids = new Set(deliveries.map(({ id }) => id));
    const told = (isSite: boolean) =>
      receiver.requests
        .filter(({ id }) => ids.has(id) === isSite)
        .sort((a, b) => a.body.sequence - b.body.sequence)
        .map(({ body }) => [body.message, body.reason.message]);
    const sentences = (lease: string) => [
      `Lease 1 was preempted: ${lease} takes its place.`,
      `${lease} takes its place`,
    ];
    expect(told(true)).toEqual([sentences('lease 2'), sentences('lease 3')]);
    expect(told(false)).toEqual([sentences('lease 2'), sentences('another lease')]);
  });

  it('are repeated with the same id until they succeed; those of the same lease wait, others do not', async () => {
    const store = await open();
    const { commit } = await site(store);
    const receiver = await startReceiver();
    await webhooksOf(store).create({ ...made, url: receiver.url });
    let failures = 0;
    receiver.answer = ({ body }, response) => {
      if (body.sequence !== 1 || failures === 4) return 200;
      failures += 1;
      if (failures === 1) return 500;
      if (failures === 2) return void response.destroy();
      if (failures === 3) return void response.writeHead(302, { location: receiver.url }).end();
      // Never answered.
      return undefined;
    };
    const { deliverer, queue } = start(store, { maxAttempts: 10, timeout: 300 });
    await commit(notice(1, 1), notice(2, 1), notice(3, 2));
    deliverer.wake();
    await queue.has('succeeded 2');
    const sequences = receiver.requests.map(({ body }) => body.sequence);
    expect(sequences.filter((each) => each !== 3)).toEqual([1, 1, 1, 1, 1, 2]);
    expect(queue.outcomes.indexOf('succeeded 3')).toBeLessThan(queue.outcomes.indexOf('succeeded 1'));
    expect(new Set(receiver.requests.filter(({ body }) => body.sequence === 1).map(({ id }) => id)).size).toBe(1);
    const bodies = receiver.requests.filter(({ body }) => body.sequence === 1).map(({ text }) => text);
    expect(new Set(bodies).size).toBe(1);
  });

  it('pause their webhook after lasting failure, and go on in order when it is active again', async () => {
    const store = await open();
    const { commit } = await site(store);
    const receiver = await startReceiver();
    const webhooks = webhooksOf(store);
    const { number } = await webhooks.create({ ...made, url: receiver.url });
    receiver.answer = () => 503;
    const logged: { readonly level: number; readonly msg: string; readonly attempts?: number }[] = [];
    const log = pino({}, { write: (line) => logged.push(JSON.parse(line)) });
    const { deliverer, queue } = start(store, {}, () => true, new SecretBox(null), log);
    await commit(notice(1));
    deliverer.wake();
    await queue.has('paused');
    expect(receiver.requests.length).toBe(3);
    await vi.waitUntil(() => logged.length === 4);
    expect(logged.map(({ level, msg, attempts }) => [log.levels.labels[level], msg, attempts])).toEqual([
      ['warn', 'a delivery to a webhook failed', 1],
      ['info', 'a delivery to a webhook failed', 2],
      ['info', 'a delivery to a webhook failed', 3],
      ['warn', 'a webhook is paused', undefined],
    ]);
    expect(await store.prisma.webhook.findUnique({ where: { number } })).toMatchObject({
      state: 'PAUSED',
      pauseReason: 'The delivery of notice 1 failed 3 times. The answer was 503.',
    });
    await commit(notice(2), notice(3));
    receiver.answer = () => 200;
    const test = await webhooks.test(number);
    deliverer.wake();
    await queue.has('succeeded test');
    expect(await store.prisma.webhookDelivery.findUnique({ where: { number: test } })).toMatchObject({
      state: 'SUCCEEDED',
    });
    expect(receiver.requests.slice(3).map(({ kind }) => kind)).toEqual(['TEST']);
    await webhooks.update(number, { active: true });
    deliverer.wake();
    await queue.has('succeeded 3');
    expect(receiver.requests.slice(4).map(({ body }) => body.sequence)).toEqual([1, 2, 3]);
  });

  it('that switch the protocol have failed, and occupy nothing', async () => {
    const store = await open();
    const { commit } = await site(store);
    const receiver = await startReceiver();
    const webhooks = webhooksOf(store);
    await webhooks.create({ ...made, url: receiver.url });
    receiver.answer = (_request, response) => {
      if (receiver.requests.length > 3) return 200;
      response.socket?.write('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n');
      return undefined;
    };
    const { deliverer, queue } = start(store, { concurrencyPerWebhook: 1, maxAttempts: 10 });
    await commit(notice(1));
    deliverer.wake();
    await queue.has('failed 1', 3);
    await queue.has('succeeded 1');
  });

  it('pause a webhook at once whose receiver is gone, and a test that fails is not repeated', async () => {
    const store = await open();
    const { commit } = await site(store);
    const receiver = await startReceiver();
    const webhooks = webhooksOf(store);
    const { number } = await webhooks.create({ ...made, url: receiver.url });
    receiver.answer = () => 410;
    const { deliverer, queue } = start(store);
    await commit(notice(1));
    deliverer.wake();
    await queue.has('paused');
    const test = await webhooks.test(number);
    deliverer.wake();
    await queue.has('failed test');
    expect(receiver.requests.map(({ kind }) => kind)).toEqual(['LEASE_MOVED', 'TEST']);
    expect(await store.prisma.webhookDelivery.findUnique({ where: { number: test } })).toMatchObject({
      ...{ state: 'FAILED', attempts: 1, status: 410, error: 'The answer was 410.' },
    });
  });

  it('are not sent to addresses that are not allowed, also where a name leads there', async () => {
    const store = await open();
    const receiver = await startReceiver();
    const webhooks = webhooksOf(store);
    const port = new URL(receiver.url).port;
    const queue = new WatchedQueue(store.prisma);
    const deliverer = new Deliverer({
      ...{ queue, settings, site: 'test', isWriter: () => true, log: pino({ level: 'silent' }) },
      secrets: new SecretBox(null),
      addresses: new AddressRules([]),
      metrics: { attempt: () => {}, paused: () => {}, counts: () => {} },
    });
    for (const host of ['localhost', '127.0.0.1', '[::ffff:127.0.0.1]', '2130706433', '0x7f.1', '169.254.169.254']) {
      const { number } = await webhooks.create({ ...made, url: `http://${host}:${port}/` });
      await webhooks.test(number);
    }
    deliverer.start();
    onTestFinished(() => deliverer.stop());
    await queue.has('failed test', 6);
    const rows = await store.prisma.webhookDelivery.findMany({ orderBy: { number: 'asc' } });
    for (const { error } of rows) expect(error).toMatch(/^The address .* is not public, and webhooks\.allowedNetworks/);
    expect(receiver.requests).toEqual([]);
  });

  it('are made by the writer only', async () => {
    const store = await open();
    const { commit } = await site(store);
    const receiver = await startReceiver();
    await webhooksOf(store).create({ ...made, url: receiver.url });
    const asked: string[] = [];
    let isWriter = false;
    const { deliverer, queue } = start(store, {}, () => {
      asked.push('');
      return isWriter;
    });
    await commit(notice(1));
    deliverer.wake();
    await store.prisma.webhook.count();
    expect(asked.length).toBeGreaterThan(0);
    expect(queue.outcomes).toEqual([]);
    isWriter = true;
    deliverer.wake();
    await queue.has('succeeded 1');
  });

  it('that were under way when a server stopped or died are made again, with the same id', async () => {
    const store = await open();
    const { commit } = await site(store);
    const receiver = await startReceiver();
    await webhooksOf(store).create({ ...made, url: receiver.url });
    receiver.answer = () => undefined;
    const first = start(store);
    await commit(notice(1), notice(2));
    first.deliverer.wake();
    await receiver.received(1);
    await first.deliverer.stop();
    expect(first.queue.outcomes).toEqual(['released 1']);
    // The next server dies: what it had claimed is due again after a time.
    await new DeliveryQueue(store.prisma).claim({ free: 9, perWebhook: 9, busy: new Map(), lostAfter: 1 });
    receiver.answer = () => 200;
    const second = start(store);
    await second.queue.has('succeeded 2');
    expect(receiver.requests.map(({ body }) => body.sequence)).toEqual([1, 1, 2]);
    expect(receiver.requests[0]?.id).toBe(receiver.requests[1]?.id);
  });

  it('arrive at least once and in order per lease, whatever fails and restarts', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 5, maxLength: 20 }),
        fc.array(fc.integer({ min: 0, max: 5 }), { minLength: 30, maxLength: 30 }),
        async (leases, faults) => {
          const store = await open();
          const { commit } = await site(store);
          const receiver = await startReceiver();
          const accepted: number[] = [];
          let attempt = 0;
          receiver.answer = ({ body }, response) => {
            const fault = faults[attempt++] ?? 9;
            if (fault === 0) return 500;
            if (fault === 1) return void response.destroy();
            accepted.push(body.sequence);
            // Accepted, and the answer is lost.
            if (fault === 2) return void response.destroy();
            return 200;
          };
          await webhooksOf(store).create({ ...made, url: receiver.url });
          const first = start(store, { maxAttempts: 100 });
          const halfWay = Math.floor(leases.length / 2);
          for (const [index, leaseId] of leases.slice(0, halfWay).entries()) {
            await commit(notice(index + 1, leaseId));
            first.deliverer.wake();
          }
          await first.deliverer.stop();
          const second = start(store, { maxAttempts: 100 });
          for (const [index, leaseId] of leases.slice(halfWay).entries()) {
            await commit(notice(halfWay + index + 1, leaseId));
            second.deliverer.wake();
          }
          const outcomes = leases.map((_leaseId, index) => `succeeded ${index + 1}`);
          const left = outcomes.filter((outcome) => !first.queue.outcomes.includes(outcome));
          await Promise.all(left.map((outcome) => second.queue.has(outcome)));
          await second.deliverer.stop();
          for (const leaseId of new Set(leases)) {
            const expected = leases.flatMap((each, index) => (each === leaseId ? [index + 1] : []));
            const got = accepted.filter((sequence) => leases[sequence - 1] === leaseId);
            expect([...new Set(got)]).toEqual(expected);
            expect([...got]).toEqual([...got].sort((a, b) => a - b));
          }
          await store.close();
        },
      ),
      { numRuns: 5 },
    );
  });
});

describe('addresses', () => {
  const isRefused = (rules: AddressRules, address: string): boolean => {
    try {
      rules.check(address);
      return false;
    } catch {
      return true;
    }
  };

  it.each([
    ...['127.0.0.1', '127.255.255.254', '0.0.0.0', '10.1.2.3', '172.16.0.1', '172.31.255.255', '192.168.1.1'],
    ...['169.254.169.254', '100.64.0.1', '224.0.0.1', '255.255.255.255', '192.0.2.1', '198.18.0.1'],
    ...['::1', '::', 'fe80::1', 'fe80::1%eth0', 'fd00::1', 'fc00::1', 'ff02::1', '::ffff:127.0.0.1'],
    ...['::ffff:7f00:1', '::ffff:10.0.0.1', '64:ff9b::7f00:1', '2002:7f00:1::', '2001:db8::1', 'not an address', ''],
  ])('refuses %s', (address) => {
    expect(isRefused(new AddressRules([]), address)).toBe(true);
  });

  it.each(['8.8.8.8', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '::ffff:8.8.8.8'])('takes %s', (address) => {
    expect(isRefused(new AddressRules([]), address)).toBe(false);
  });

  it('takes those that the configuration allows', () => {
    const rules = new AddressRules(['10.1.0.0/16', 'fd00::/8', '127.0.0.1']);
    for (const address of ['10.1.2.3', 'fd12::1', '127.0.0.1', '::ffff:10.1.0.1']) {
      expect(isRefused(rules, address)).toBe(false);
    }
    for (const address of ['10.2.0.1', 'fc00::1', '127.0.0.2']) expect(isRefused(rules, address)).toBe(true);
  });
});
