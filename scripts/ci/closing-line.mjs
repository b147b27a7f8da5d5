// closing-line.mjs REPORT STATUS: reads Vitest's JSON report and its exit status, names what was skipped and what failed, and ends with one
// line of counts. Exit status 0 only when tests ran and nothing failed, in them or around them.
import { readFileSync } from 'node:fs';

const [report, status] = process.argv.slice(2);

function results() {
  try {
    return JSON.parse(readFileSync(report, 'utf8')).testResults;
  } catch (error) {
    console.log(`No report of the tests: ${error.message}`);
    return [];
  }
}

const files = results();
const tests = files.flatMap((file) => file.assertionResults);
const having = (...states) => tests.filter((test) => states.includes(test.status));
const skipped = having('skipped', 'pending', 'todo', 'disabled');
// A file can fail without a test of its own that does: it could not be loaded, or cleaning up went wrong.
const failures = [
  ...having('failed').map((test) => test.fullName),
  ...files
    .filter(
      (file) => file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed'),
    )
    .map((file) => `${file.name}: ${file.message}`),
];
const passed = having('passed').length;
if (failures.length === 0 && status !== '0') failures.push(`the test run itself, with exit status ${status}`);
if (failures.length === 0 && passed === 0) failures.push('the test run itself: no test ran');

for (const suite of new Set(skipped.map((test) => test.ancestorTitles[0] ?? test.title)))
  console.log(`skipped: ${suite}`);
for (const failure of failures) console.log(`failed: ${failure}`);
console.log(`${passed} passed, ${failures.length} failed, ${skipped.length} skipped`);
process.exitCode = failures.length === 0 ? 0 : 1;
