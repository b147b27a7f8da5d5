export { ConfigurationError } from './error.ts';
export { makeDataFolder, makeFolder } from './folder.ts';
export { type Environment, loadConfiguration, readConfigurationFile, type ServerConfig } from './load.ts';
export { type ConfiguredSite, demonstrationSite } from './site.ts';
export { adminToken, keptToken } from './token.ts';
