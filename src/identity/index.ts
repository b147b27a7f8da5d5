export type { AuditOptions, AuditRecord, RecordWithin } from './audit.ts';
export {
  type Authorization,
  BrowserSignIn,
  BrowserSignInError,
  type BrowserSignInOptions,
  type IssuedTokens,
} from './browser-sign-in.ts';
export { hasRole, type Identity, type Role, roles, type Visibility } from './identity.ts';
export type { Keyed } from './keys.ts';
export { type OpenIdConnectOptions, openIdConnect } from './openid-connect.ts';
export {
  mayCall,
  mayChange,
  mayUseProject,
  type Owned,
  requiredRole,
  requiredRoleOfPath,
  type Sight,
  sightOf,
  webhooksOf,
} from './rights.ts';
export { administrator, createIdentity, type IdentityOptions, type IdentityService } from './service.ts';
export { NameTaken, type TokenChanges } from './tokens.ts';
export type { CredentialsChange } from './watch.ts';
