/** Generated cases are others each time, except in CI: there a change is judged by itself, and the same twice. */
if (process.env.CI !== undefined && process.env.CI !== 'false') {
  const { configureGlobal, readConfigureGlobal } = await import('fast-check');
  // Making a failed case smaller could take until the test's time limit, which hides what failed.
  configureGlobal({ ...readConfigureGlobal(), seed: 20_061_125, endOnFailure: true });
}
