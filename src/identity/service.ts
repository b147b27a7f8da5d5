import type { PrismaClient } from '../store/prisma/client.ts';
import { Audit, type AuditOptions } from './audit.ts';
import type { BrowserSignIn } from './browser-sign-in.ts';
import type { Identity, Visibility } from './identity.ts';
import { Keys } from './keys.ts';
import { Projects } from './projects.ts';
import { isSameSecret, Tokens } from './tokens.ts';
import { Watch } from './watch.ts';

/** Identifies the bearer of an external token; null if invalid. */
export type IdentifyExternal = (token: string, projects: Projects) => Promise<Identity | null>;

export interface IdentityOptions {
  readonly prisma: PrismaClient;
  /** The administrator's bearer token. */
  readonly adminToken: string;
  readonly visibility?: Visibility;
  readonly external?: IdentifyExternal | null;
  readonly browserSignIn?: BrowserSignIn | null;
  readonly audit?: AuditOptions;
}

/** Authentication and its services. */
export interface IdentityService {
  readonly tokens: Tokens;
  readonly projects: Projects;
  readonly keys: Keys;
  readonly audit: Audit;
  readonly watch: Watch;
  readonly visibility: Visibility;
  /** Null if people sign in only with tokens. */
  readonly browserSignIn: BrowserSignIn | null;
  /** The identity of an Authorization header; null if none. Rejects if the database is unreachable. */
  authenticate(authorization: string | null | undefined): Promise<Identity | null>;
}

export const administrator: Identity = {
  name: 'admin',
  role: 'ADMIN',
  projects: [],
  expiresAt: null,
  token: null,
};

export function createIdentity(options: IdentityOptions): IdentityService {
  const { prisma, adminToken, external = null, visibility = 'projects' } = options;
  const tokens = new Tokens(prisma);
  const keys = new Keys(prisma);
  const projects = new Projects(prisma, keys);
  const watch = new Watch(tokens);
  tokens.onChange = () => void watch.look();
  return {
    tokens,
    projects,
    keys,
    audit: new Audit(prisma, options.audit ?? { retention: null, onFailure: () => {} }),
    watch,
    visibility,
    browserSignIn: options.browserSignIn ?? null,
    authenticate: async (authorization) => {
      const [, secret] = /^bearer +(\S+) *$/i.exec(authorization ?? '') ?? [];
      if (secret === undefined) return null;
      if (isSameSecret(secret, adminToken)) return administrator;
      return (await tokens.identify(secret)) ?? (external ? external(secret, projects) : null);
    },
  };
}
