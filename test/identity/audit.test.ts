import { afterAll, expect, it } from 'vitest';
import { Audit } from '../../src/identity/audit.ts';
import { administrator } from '../../src/identity/index.ts';
import { apiOnNewDatabase } from '../api/fixture.ts';

const { prisma, ...api } = await apiOnNewDatabase();
afterAll(() => api[Symbol.asyncDispose]());

it.each(['record', 'keepUp'] as const)('%s deletes records that are older than configured', async (call) => {
  await prisma.auditEntry.deleteMany();
  const day = 86_400_000;
  const now = Date.UTC(2030, 0, 31);
  const failures: unknown[] = [];
  const onFailure = (error: unknown) => failures.push(error);
  const audit = new Audit(prisma, { retention: 7 * day, onFailure }, () => now);
  const record = { identity: administrator, mutation: 'cancelLease', subject: null, outcome: 'OK' };
  const row = { principal: 'admin', role: 'ADMIN' as const, mutation: 'cancelLease', outcome: 'OK' };
  await prisma.auditEntry.createMany({
    data: [6, 7, 8].map((age) => ({ ...row, requestId: `${age} days`, at: new Date(now - age * day) })),
  });
  if (call === 'record') audit.record({ ...record, requestId: 'now' });
  else audit.keepUp();
  await audit.flush();
  const kept = await prisma.auditEntry.findMany({ orderBy: { at: 'desc' } });
  expect(kept.map(({ requestId }) => requestId)).toEqual([
    ...(call === 'record' ? ['now'] : []),
    ...['6 days', '7 days'],
  ]);
  expect(failures).toEqual([]);
});
