export { durationForm, parseDuration } from './duration.ts';
export { ConfigurationError } from './error.ts';
export { type Configuration, isModulePath } from './file.ts';
export { makeDataFolder, makeFolder } from './folder.ts';
export type { ConfigEntry } from './haizea/ini.ts';
export {
  defaultAdapter,
  defaultConfiguration,
  type Environment,
  loadConfiguration,
  readConfigurationFile,
  type ServerConfig,
} from './load.ts';
export { type Matrix, type MatrixRun, matrixOf, readMatrix } from './matrix.ts';
export { loadPolicies } from './policy-modules.ts';
export { type RunConfiguration, readRunConfiguration } from './run.ts';
export {
  type SchedulerDifference,
  schedulerDifferenceLine,
  schedulerDifferences,
} from './scheduler-difference.ts';
export { type ConfiguredSite, demonstrationSite, siteOption } from './site.ts';
export {
  differenceLines,
  type SiteDifference,
  shownCapacity,
  siteDifference,
} from './site-difference.ts';
export { adminToken, forgetToken, keptToken } from './token.ts';
