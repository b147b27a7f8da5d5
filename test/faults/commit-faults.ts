import { openStore } from '../../src/store/index.ts';

/** SQLSTATEs that allow another attempt: serialization, deadlock, too many connections, cancelled, I/O. */
const states = ['40001', '40P01', '53300', '57014', '58030'];

/**
 * Makes commits fail: a share of them when the writer's row is changed, and an equal share at the COMMIT itself.
 * The seed and the number of commits decide which ones fail.
 */
export const failCommits = async (
  place: { readonly databaseUrl: string | null; readonly dataDir: string },
  { seed, percent }: { readonly seed: number; readonly percent: number },
): Promise<void> => {
  const store = await openStore(place);
  const raise = (offset: number) => `
    DECLARE
      draw int := abs(hashint8extended(nextval('commit_faults'), ${seed + offset}) % 10000);
    BEGIN
      IF draw < ${percent * 100} THEN
        RAISE EXCEPTION 'this commit fails for the test' USING ERRCODE = (ARRAY['${states.join("', '")}'])[1 + draw % ${states.length}];
      END IF;
      RETURN NULL;
    END`;
  const statements = [
    'CREATE SEQUENCE commit_faults',
    `CREATE FUNCTION fail_early() RETURNS trigger LANGUAGE plpgsql AS $$ ${raise(0)} $$`,
    `CREATE FUNCTION fail_late() RETURNS trigger LANGUAGE plpgsql AS $$ ${raise(1)} $$`,
    `CREATE TRIGGER fail_early AFTER UPDATE OF last_commit ON writers FOR EACH ROW EXECUTE FUNCTION fail_early()`,
    `CREATE CONSTRAINT TRIGGER fail_late AFTER UPDATE OF last_commit ON writers
       DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION fail_late()`,
  ];
  try {
    for (const statement of statements) await store.prisma.$executeRawUnsafe(statement);
  } finally {
    await store.close();
  }
};
