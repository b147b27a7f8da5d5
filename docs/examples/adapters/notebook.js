/**
 * An adapter that writes down in a file what it is told, and drives nothing: the smallest one that passes the conformance suite.
 *
 *   adapter: { kind: module, path: ./notebook.js, options: { file: ./machines.json } }
 *
 * @type {import('../../../src/enactment/index.ts').AdapterFactory}
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

export default function notebook({ options, log }) {
  const file = options?.file ?? 'machines.json';
  /** `lease/machine@node` -> status. Read each time, so that the file is the truth. */
  const read = () => (existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {});
  const keyOf = ({ leaseId, machine, node }) => `${leaseId}/${machine}@${node}`;

  /** An operation: the states that it accepts, and the state that it leaves. One that is there already has nothing to do. */
  const operation = (name, accepted, becomes) => async (call) => {
    call.signal.throwIfAborted();
    const machines = read();
    const key = keyOf(call.target);
    const status = machines[key] ?? 'absent';
    if (status === becomes) return { status: 'done' };
    if (!accepted.includes(status)) return { status: 'failed', reason: `${key} is ${status}: it cannot ${name}` };
    if (becomes === 'absent') delete machines[key];
    else machines[key] = becomes;
    writeFileSync(file, JSON.stringify(machines));
    log.info({ key, name }, 'written down');
    return { status: 'done' };
  };

  return {
    name: 'notebook',
    remembers: true,
    prepare: operation('prepare', ['absent'], 'prepared'),
    start: operation('start', ['absent', 'prepared', 'stopped'], 'running'),
    suspend: operation('suspend', ['running'], 'suspended'),
    resume: operation('resume', ['suspended'], 'running'),
    shutdown: operation('shut down', ['prepared', 'running', 'stopped'], 'absent'),
    destroy: operation('be destroyed', ['prepared', 'running', 'suspended', 'stopped'], 'absent'),

    async migrate({ target, signal }) {
      signal.throwIfAborted();
      const machines = read();
      const [from, to] = [keyOf(target), keyOf({ ...target, node: target.toNode })];
      if (machines[from] === undefined && machines[to] !== undefined) return { status: 'done' };
      if (!['prepared', 'suspended'].includes(machines[from]))
        return { status: 'failed', reason: `${from} is ${machines[from] ?? 'absent'}: it cannot be moved` };
      machines[to] = machines[from];
      delete machines[from];
      writeFileSync(file, JSON.stringify(machines));
      return { status: 'done' };
    },

    async inspect(place, signal) {
      signal.throwIfAborted();
      return read()[keyOf(place)] ?? 'absent';
    },

    async list(node, signal) {
      signal.throwIfAborted();
      return Object.entries(read()).flatMap(([key, status]) => {
        const [leaseId, machine, at] = key.split(/[/@]/).map(Number);
        return at === node ? [{ leaseId, machine, node, status }] : [];
      });
    },

    forget() {},
    async close() {},
  };
}
