// closing-line.mjs REPORT STATUS [REPORT STATUS ...]: reads Vitest's JSON reports and exit statuses, names what was
// skipped and what failed, and ends with one line of counts. Exits with 0 only when tests ran and nothing failed, in
// them or around them.
import { readFileSync } from 'node:fs';

const runs = [];
for (let index = 2; index < process.argv.length; index += 2) {
  runs.push({ report: process.argv[index], status: process.argv[index + 1] });
}

const counts = { passed: 0, failed: 0, skipped: 0 };
for (const { report, status } of runs) {
  const files = resultsOf(report);
  const tests = files.flatMap((file) => file.assertionResults);
  const having = (...states) => tests.filter((test) => states.includes(test.status));
  const skipped = having('skipped', 'pending', 'todo', 'disabled');
  // A file can fail although none of its tests does: it could not be loaded, or cleaning up went wrong.
  const failures = [
    ...having('failed').map((test) => test.fullName),
    ...files
      .filter((file) => file.status === 'failed')
      .filter((file) => !file.assertionResults.some((test) => test.status === 'failed'))
      .map((file) => `${file.name}: ${file.message}`),
  ];
  const passed = having('passed').length;
  if (failures.length === 0 && status !== '0') failures.push(`the test run itself, with exit status ${status}`);
  if (failures.length === 0 && passed === 0) failures.push('the test run itself: no test ran');

  for (const each of skippedParts(tests, skipped)) console.log(`skipped: ${each}`);
  for (const failure of failures) console.log(`failed: ${failure}`);
  counts.passed += passed;
  counts.failed += failures.length;
  counts.skipped += skipped.length;
}
console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
process.exitCode = counts.failed === 0 ? 0 : 1;

/** Suites of which nothing ran, and the single tests that were skipped of others. */
function skippedParts(tests, skipped) {
  const ran = new Set(tests.filter((test) => !skipped.includes(test)).map((test) => test.ancestorTitles[0]));
  return new Set(
    skipped.map(({ ancestorTitles: [suite], fullName, title }) =>
      suite === undefined || ran.has(suite) ? (fullName ?? title) : suite,
    ),
  );
}

function resultsOf(report) {
  try {
    return JSON.parse(readFileSync(report, 'utf8')).testResults;
  } catch (error) {
    console.log(`No report of the tests: ${error.message}`);
    return [];
  }
}
