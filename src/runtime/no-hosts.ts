import type { Adapter } from '../engine/index.ts';

const refuse = (): Promise<never> => Promise.reject(new Error('this process calls no hosts'));

/** For a process that never becomes the writer, and so never calls a host. */
export const noHosts: Adapter = {
  name: 'none',
  remembers: false,
  prepare: refuse,
  start: refuse,
  shutdown: refuse,
  suspend: refuse,
  resume: refuse,
  migrate: refuse,
  destroy: refuse,
  inspect: refuse,
  forget: () => {},
  close: async () => {},
};
