import type { Grammar } from './xml.ts';

/** The elements of LWF, including a site alone. */
export const lwfGrammar: Grammar = {
  'lease-workload': { optional: ['name'], children: ['description', 'attributes', 'site', 'lease-requests'] },
  description: { text: true },
  attributes: { many: ['attr'] },
  attr: { required: ['name', 'value'] },
  site: { children: ['resource-types', 'nodes'] },
  'resource-types': { required: ['names'] },
  nodes: { many: ['node-set'] },
  'node-set': { required: ['numnodes'], many: ['res', 'attr'] },
  res: { required: ['type'], optional: ['amount'], many: ['instance'] },
  instance: { required: ['amount'] },
  'lease-requests': { many: ['lease-request'] },
  'lease-request': { required: ['arrival'], children: ['realduration', 'lease'] },
  realduration: { required: ['time'] },
  lease: {
    required: ['preemptible'],
    optional: ['id', 'user', 'state', 'submit-time'],
    children: ['nodes', 'start', 'duration', 'deadline', 'software', 'extra'],
  },
  start: { children: ['now', 'exact'] },
  now: {},
  exact: { required: ['time'] },
  duration: { required: ['time'] },
  deadline: { required: ['time'] },
  software: { children: ['none', 'disk-image'] },
  none: {},
  'disk-image': { required: ['id', 'size'] },
  extra: { open: true },
};
