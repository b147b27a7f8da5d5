import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { administrator, createIdentity, type TokenChanges } from '../../src/identity/index.ts';
import { NameTaken, Tokens } from '../../src/identity/tokens.ts';
import { Watch } from '../../src/identity/watch.ts';
import { apiOnNewDatabase } from '../api/fixture.ts';

const { prisma, ...api } = await apiOnNewDatabase();
afterAll(() => api[Symbol.asyncDispose]());

let now: number;
let tokens: Tokens;
beforeEach(async () => {
  await prisma.token.deleteMany();
  now = Date.UTC(2030, 0, 1);
  tokens = new Tokens(prisma, () => now);
});

const newToken = (name: string, expiresAt: Date | null = null) =>
  ({ name, role: 'USER', projects: [3, 4], expiresAt }) as const;

describe('tokens', () => {
  it('keep a hash of their secret, and its first characters', async () => {
    const { token, secret } = await tokens.create(newToken('ada'));
    expect(secret).toMatch(/^lg_[A-Za-z0-9_-]{43}$/);
    expect(token.prefix).toBe(secret.slice(0, 9));
    const rows = JSON.stringify(await prisma.token.findMany());
    expect(rows).not.toContain(secret);
    expect(rows).not.toContain(secret.slice(3));
  });

  it('identify their holder', async () => {
    const { token, secret } = await tokens.create(newToken('ada', new Date(now + 60_000)));
    expect(await tokens.identify(secret)).toEqual({
      name: 'ada',
      role: 'USER',
      projects: [3, 4],
      expiresAt: now + 60_000,
      token: token.number,
    });
    const last = secret.at(-1) === 'A' ? 'B' : 'A';
    expect(await tokens.identify(secret.slice(0, -1) + last)).toBeNull();
    expect(await tokens.identify('lg_short')).toBeNull();
  });

  it('have unique names, also after they were revoked', async () => {
    const { token } = await tokens.create(newToken('ada'));
    await tokens.revoke(token.number);
    await expect(tokens.create(newToken('ada'))).rejects.toThrow(NameTaken);
  });

  it('expire at their instant', async () => {
    const { secret } = await tokens.create(newToken('ada', new Date(now + 1_000)));
    now += 999;
    expect(await tokens.identify(secret)).not.toBeNull();
    now += 1;
    expect(await tokens.identify(secret)).toBeNull();
  });

  it('are revoked at once here, and on other servers within two seconds', async () => {
    const other = new Tokens(prisma, () => now);
    const { token, secret } = await tokens.create(newToken('ada'));
    expect(await tokens.identify(secret)).not.toBeNull();
    expect(await other.identify(secret)).not.toBeNull();
    const revoked = await tokens.revoke(token.number);
    expect(revoked?.revokedAt).toEqual(new Date(now));
    expect(await tokens.identify(secret)).toBeNull();
    now += 2_000;
    expect(await other.identify(secret)).toBeNull();
    now += 1_000;
    expect((await tokens.revoke(token.number))?.revokedAt).toEqual(revoked?.revokedAt);
    expect(await tokens.revoke(999_999)).toBeNull();
  });

  it('change at once here, and on other servers within two seconds', async () => {
    const other = new Tokens(prisma, () => now);
    const { token, secret } = await tokens.create(newToken('ada'));
    await tokens.identify(secret);
    await other.identify(secret);
    const expiresAt = new Date(now + 60_000);
    const changes = { role: 'VIEWER', addProjects: [5, 3], removeProjects: [4], expiresAt } as const;
    expect(await tokens.update(token.number, changes)).toMatchObject({ projects: [3, 5] });
    const changed = { role: 'VIEWER', projects: [3, 5], expiresAt: now + 60_000 };
    expect(await tokens.identify(secret)).toMatchObject(changed);
    now += 2_000;
    expect(await other.identify(secret)).toMatchObject(changed);
    expect(await tokens.update(token.number, { projects: [7] })).toMatchObject({ role: 'VIEWER', expiresAt });
    expect(await tokens.update(token.number, { expiresAt: null })).toMatchObject({
      projects: [7],
      expiresAt: null,
    });
    await tokens.revoke(token.number);
    expect(await tokens.update(token.number, { role: 'ADMIN' })).toBe('revoked');
    expect(await tokens.update(999_999, { role: 'ADMIN' })).toBeNull();
  });

  it('keep all memberships that are given side by side', async () => {
    const { token, secret } = await tokens.create(newToken('ada'));
    await Promise.all([5, 6, 7, 8].map((project) => tokens.update(token.number, { addProjects: [project] })));
    expect(new Set((await tokens.identify(secret))?.projects)).toEqual(new Set([3, 4, 5, 6, 7, 8]));
  });

  it('record their use once per minute', async () => {
    const { token, secret } = await tokens.create(newToken('ada'));
    const lastUse = async () =>
      (await prisma.token.findUniqueOrThrow({ where: { number: token.number } })).lastUsedAt?.getTime();
    const first = now;
    await tokens.identify(secret);
    await expect.poll(lastUse).toBe(first);
    now += 59_000;
    await tokens.identify(secret);
    now += 1_000;
    await tokens.identify(secret);
    await expect.poll(lastUse).toBe(first + 60_000);
  });
});

describe('authentication', () => {
  it.each([
    ['no header', null],
    ['another scheme', 'Basic c2VjcmV0'],
    ['a wrong token', 'Bearer secre'],
    ['an unknown token', `Bearer lg_${'x'.repeat(43)}`],
    ['an empty token', 'Bearer '],
  ])('refuses %s', async (_what, header) => {
    expect(await createIdentity({ prisma, adminToken: 'secret' }).authenticate(header)).toBeNull();
  });

  it('knows the administrator', async () => {
    const { authenticate } = createIdentity({ prisma, adminToken: 'secret' });
    expect(await authenticate('bearer secret')).toBe(administrator);
  });
});

describe('watch', () => {
  it('ends what is open for credentials that are revoked or expire, and nothing else', async () => {
    const ended: string[] = [];
    const watch = new Watch(tokens, () => now);
    const open = async (name: string, expiresAt: Date | null = null) => {
      const { token, secret } = await tokens.create(newToken(name, expiresAt));
      const identity = await tokens.identify(secret);
      if (identity === null) throw new Error('no identity');
      const close = watch.add(identity, () => ended.push(name));
      return { token, close };
    };
    const revoked = await open('revoked');
    await open('expiring', new Date(now + 10_000));
    await open('valid');
    const closed = await open('closed');
    closed.close();
    watch.add(administrator, () => ended.push('admin'));
    await tokens.revoke(revoked.token.number);
    await tokens.revoke(closed.token.number);
    await watch.look();
    expect(ended).toEqual(['revoked']);
    now += 10_000;
    await watch.look();
    expect(ended).toEqual(['revoked', 'expiring']);
  });

  it('tells of other rights, but not of another expiry', async () => {
    const changes: string[] = [];
    const watch = new Watch(tokens, () => now);
    const numbers = new Map<string, number>();
    for (const name of ['role', 'projects', 'order', 'extended', 'shortened']) {
      const { token, secret } = await tokens.create(newToken(name, new Date(now + 10_000)));
      numbers.set(name, token.number);
      const identity = await tokens.identify(secret);
      if (identity) watch.add(identity, (change) => changes.push(`${name} ${change}`));
    }
    const update = (name: string, change: TokenChanges) => tokens.update(numbers.get(name) ?? 0, change);
    await update('role', { role: 'VIEWER' });
    await update('projects', { removeProjects: [3] });
    await update('order', { projects: [4, 3] });
    await update('extended', { expiresAt: null });
    await update('shortened', { expiresAt: new Date(now + 5_000) });
    await watch.look();
    expect(changes).toEqual(['role changed', 'projects changed']);
    now += 5_000;
    await watch.look();
    expect(changes.slice(2)).toEqual(['shortened ended']);
    now += 5_000;
    await watch.look();
    expect(changes.slice(3)).toEqual(['order ended']);
  });

  it('ends streams of expired tokens also while the database is out of reach', async () => {
    let ended = 0;
    const watch = new Watch({ valid: () => Promise.reject(new Error('no database')) }, () => now);
    watch.add({ ...administrator, token: 1, expiresAt: now + 1_000 }, () => (ended += 1));
    watch.add({ ...administrator, token: 2 }, () => (ended += 1));
    await watch.look();
    expect(ended).toBe(0);
    now += 1_000;
    await watch.look();
    expect(ended).toBe(1);
  });
});
