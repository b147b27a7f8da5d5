/** One small fault in the sources, and the tests that have to find it. */
export interface Mutant {
  readonly name: string;
  readonly file: string;
  /** Stands in the file exactly once. */
  readonly find: string;
  readonly replace: string;
  readonly tests: readonly string[];
}

/** Faults in one file, which the same tests have to find. */
function inFile(
  file: string,
  tests: readonly string[],
  faults: readonly (readonly [name: string, find: string, replace: string])[],
): Mutant[] {
  return faults.map(([name, find, replace]) => ({ name, file, find, replace, tests }));
}

const golden = ['test/golden'];

export const mutants: readonly Mutant[] = [
  ...inFile(
    'src/core/vm/operation-times.ts',
    [...golden, 'test/core/vm'],
    [
      ['global suspension forgets the overhead', 'at = end - time - overhead;', 'at = end - time;'],
      ['global resumption forgets the overhead', 'at = start + time + overhead;', 'at = start + time;'],
      ['local resumption groups may overlap', 'Math.max(0, previousEnd - group.start)', '0'],
      ['local suspension groups may overlap', 'Math.max(0, group.end - previousStart)', '0'],
      [
        'nodes in descending order',
        '(mapping[a] as number) - (mapping[b] as number) || a - b',
        '(mapping[b] as number) - (mapping[a] as number) || a - b',
      ],
      [
        'operations of no length come last (R67)',
        'a.start - b.start || a.end - b.end);\n}',
        'a.start - b.start || b.end - a.end);\n}',
      ],
    ],
  ),
  ...inFile(
    'src/core/lifecycle/due.ts',
    [...golden, 'test/core/lifecycle', 'test/core/scheduler.test.ts'],
    [
      ['a machine starts before its chain is done (R50)', "if (each.state !== 'DONE') return false;", ''],
      [
        'a VM starts in any state',
        "return reservation !== vm || state === 'READY' || state === 'RESUMED_READY';",
        'return true;',
      ],
      ['running time is not counted', 'lease.accumulated += Math.min(at - reservation.start, lease.remaining);', ''],
      [
        'what frees a node does not come first',
        'const starting = startable.some(freesAtOnce) ? startable.filter(freesAtOnce) : startable;',
        'const starting = startable;',
      ],
      [
        'a suspension is over with its first part',
        'if (vm.after.at(-1) === reservation) endSuspension',
        'if (vm.after.at(0) === reservation) endSuspension',
      ],
      [
        'a resumption is over with its first part',
        'if (vm.before.at(-1) === reservation) state',
        'if (vm.before.at(0) === reservation) state',
      ],
    ],
  ),
  ...inFile(
    'src/core/preparation/transfer-slots.ts',
    [...golden, 'test/core/preparation'],
    [
      ['a transfer must leave a gap before the first', 'now + length <= first.start', 'now + length < first.start'],
      [
        'a gap of exactly the length is not used',
        'gapStart !== gapEnd && gapEnd - gapStart >= length',
        'gapStart !== gapEnd && gapEnd - gapStart > length',
      ],
      ['a transfer may not end at the deadline', 'last.end + length <= deadline', 'last.end + length < deadline'],
      [
        'the deadline does not clip gaps',
        'Math.min((taken[i] as Slot).start, deadline);\n    if',
        '(taken[i] as Slot).start;\n    if',
      ],
      [
        'the first transfer is not in the way (R66)',
        'return Math.min(first.start, deadline) - length;',
        'return deadline - length;',
      ],
    ],
  ),
  ...inFile(
    'src/core/preparation/image-cache.ts',
    [...golden, 'test/core/preparation'],
    [
      ['images in use are not counted (R28)', 'images.filter(({ users }) => users.size > 0)', '[]'],
      ['the youngest image is evicted', '? b : a,', '? a : b,'],
      ['a timeout falls', 'a === null ? b : Math.max(a, b)', 'b'],
      [
        'one image more than needed is evicted',
        'while (size + total(images) > this.limit)',
        'while (size + total(images) >= this.limit)',
      ],
    ],
  ),
  ...inFile(
    'src/core/mapping/greedy-mapper.ts',
    [...golden, 'test/core/mapping'],
    [
      [
        'strict leases are shortened',
        'if (until === null || (until < end && strict)) break;',
        'if (until === null) break;',
      ],
      [
        'machines go back to earlier nodes',
        '(scores.get(b) as number) - (scores.get(a) as number)',
        '(scores.get(a) as number) - (scores.get(b) as number)',
      ],
      [
        'preempted leases still hold their place',
        'free[d] = (free[d] as number) + (hold.amounts[d] as number)',
        'free[d] = free[d] as number',
      ],
    ],
  ),
  ...inFile(
    'src/core/policies/preemption.ts',
    [...golden, 'test/core/policies'],
    [['a lease of exactly seven days may be preempted', 'submittedAt <= at - peace', 'submittedAt < at - peace']],
  ),
  ...inFile(
    'src/core/lifecycle/re-evaluation.ts',
    [...golden, 'test/core/lifecycle'],
    [
      [
        'a plan that starts equally early replaces the present one (R62)',
        'vm.start < previous.start ||',
        'vm.start <= previous.start ||',
      ],
      ['descending order', 'sort((a, b) => a.id - b.id)', 'sort((a, b) => b.id - a.id)'],
      ['leases that are brought back are re-evaluated (R53)', ' || lease.isBeingBroughtBack) continue;', ') continue;'],
    ],
  ),
  ...inFile(
    'src/core/slot-table/availability.ts',
    ['test/simulation/live', 'test/core'],
    [
      [
        'maintenance ends one millisecond late',
        'if (start < to && end > from && nodes.includes(node))',
        'if (start < to && end >= from && nodes.includes(node))',
      ],
    ],
  ),
  ...inFile(
    'src/engine/inbox.ts',
    ['test/engine'],
    [
      ['a failed read forgets the forwarded commands', 'this.unread = true;\n      throw error;', 'throw error;'],
      ['forwarded commands beyond a page are forgotten', 'if (found.length === limit) this.unread = true;', ''],
      [
        'items that are put back come last',
        'this.items = [...items, ...this.items];',
        'this.items = [...this.items, ...items];',
      ],
      ['any number of commands waits', 'if (this.local >= this.maxLocal) return false;', ''],
      ['reports of an ended term are kept', "this.items = this.items.filter(({ type }) => type !== 'report');", ''],
    ],
  ),
  ...inFile(
    'src/engine/publisher.ts',
    ['test/engine'],
    [
      ['known events are taken again', 'events.filter((event) => event.sequence > this.newest)', '[...events]'],
      ['a gap keeps the ring', 'if (first.sequence !== this.newest + 1) this.ring = [];', ''],
      [
        'the ring grows without bound',
        'if (this.ring.length > 2 * ringSize) this.ring.splice(0, this.ring.length - ringSize);',
        '',
      ],
      ['expired events are not refused', 'if (after + 1 >= oldest) return;', 'return;'],
    ],
  ),
  ...inFile(
    'src/engine/commands/idempotency.ts',
    ['test/engine', 'test/api/mutations.test.ts'],
    [
      [
        'another input gets the answer of the first',
        'if (earlier.inputHash === inputHash(command))',
        'if (earlier.inputHash !== "")',
      ],
    ],
  ),
  ...inFile(
    'src/store/commands.ts',
    ['test/store'],
    [
      ['answered commands are carried out again', 'WHERE answered_at IS NULL AND created_at', 'WHERE created_at'],
      ['expired commands are carried out', 'AND created_at > now() - interval', 'OR created_at > now() - interval'],
      ['commands in any order', 'ORDER BY sequence LIMIT $1', 'ORDER BY id LIMIT $1'],
    ],
  ),
  ...inFile(
    'src/store/commit.ts',
    ['test/store', 'test/engine/databases.test.ts'],
    [
      [
        'a writer that was replaced goes on',
        'WHERE epoch = $1::bigint AND last_commit IS NOT DISTINCT FROM $3::uuid',
        'WHERE last_commit IS NOT DISTINCT FROM $3::uuid',
      ],
      [
        'a commit on an old state is written',
        'WHERE epoch = $1::bigint AND last_commit IS NOT DISTINCT FROM $3::uuid',
        'WHERE epoch = $1::bigint',
      ],
      [
        'withdrawn reservations stay',
        'WHERE number = ANY ($10::bigint[])',
        'WHERE false AND number = ANY ($10::bigint[])',
      ],
      ['answers are not announced', 'WHERE jsonb_array_length($15::jsonb) > 0', 'WHERE false'],
    ],
  ),
  ...inFile(
    'src/api/read/pages.ts',
    ['test/api'],
    [
      ['a page has one row too many', 'const page = more ? rows.slice(0, -1) : [...rows];', 'const page = [...rows];'],
      ['backward pages are in reverse order', 'if (window.backward) page.reverse();', ''],
      ['cursors of other lists are accepted', 'list === name &&', ''],
      ['any page size', 'if (size > maxPageSize)', 'if (size > 100 * maxPageSize)'],
      [
        'the page includes its cursor',
        'Prisma.sql`<`, Prisma.sql`>`] : [Prisma.sql`>`, Prisma.sql`<`]',
        'Prisma.sql`<=`, Prisma.sql`>=`] : [Prisma.sql`>=`, Prisma.sql`<=`]',
      ],
    ],
  ),
  ...inFile(
    'src/engine/hosts/remaining.ts',
    ['test/engine/remaining-machines.test.ts'],
    [
      [
        'a removal without an answer holds nothing',
        'if (!hasFailed && age <= lateness) return [];',
        'if (!hasFailed) return [];',
      ],
      [
        'a failed removal holds nothing after a restart',
        'if (!hasFailed && age <= lateness) return [];',
        'if (age <= lateness) return [];',
      ],
      [
        'a discarded lease holds nothing',
        'isQuarantined(leaseId) || dispatcher.isBusyWith(leaseId)',
        'isQuarantined(leaseId)',
      ],
      ['starts that wait do not move', 'inTheWayOf: blocked.get(key) ?? [],', 'inTheWayOf: [],'],
    ],
  ),
  ...inFile(
    'src/core/lifecycle/late.ts',
    ['test/engine/time-limits.test.ts', 'test/engine/late-hosts.test.ts'],
    [
      [
        'what has time to spare is delayed all the same',
        'return Math.max(0, operation.end + delay - next);',
        'return delay;',
      ],
      ['reservations that were put off wait on', 'startPutOff(state, new Set(vm.amounts.keys()), now);', ''],
    ],
  ),
  ...inFile(
    'src/core/placement/on-hosts.ts',
    ['test/engine/remaining-machines.test.ts'],
    [['time without machines is running time', '&& !notStarted.has(id) ?', '?']],
  ),
  ...inFile(
    'src/api/read/budget.ts',
    ['test/api'],
    [
      ['a response of any size', 'if (this.entries <= maxEntries) return;', 'return;'],
      ['loops do not give way', 'index > 0 && index % stepsPerTurn === 0', 'false'],
      ['an aborted operation goes on', 'signal?.throwIfAborted();', ''],
    ],
  ),
  ...inFile(
    'src/api/read/view.ts',
    ['test/api', 'test/identity'],
    [
      ['everybody sees all leases', "sight === 'all'\n", 'true\n'],
      ['users see all projects', "hasRole(identity, 'OPERATOR') ? null : own", 'null'],
      ['operators see tokens', "hasRole(identity, 'ADMIN');", "hasRole(identity, 'OPERATOR');"],
    ],
  ),
];
