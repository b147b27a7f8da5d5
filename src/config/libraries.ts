import { createRequire } from 'node:module';

const load = createRequire(import.meta.url);

/**
 * Libraries that few configurations need. Each is loaded when it is first used, so that short simulations start fast.
 */
export const libraries = {
  get luxon() {
    return load('luxon') as typeof import('luxon');
  },
  get yaml() {
    return load('yaml') as typeof import('yaml');
  },
};
