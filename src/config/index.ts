export { ConfigurationError } from './error.ts';
export { type Environment, loadConfiguration, readConfigurationFile, type ServerConfig } from './load.ts';
export { type ConfiguredSite, demonstrationSite } from './site.ts';
export { adminToken, keptToken } from './token.ts';
