/**
 * A double of an OpenNebula front end: the XML-RPC calls that the adapter makes, with the parameters, states,
 * transitions and errors of OpenNebula's documentation. It runs no machines. It shares only the XML reader with the
 * adapter.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { child, type Element, escapeXml, parseXml } from '../../opennebula/xml.ts';
import {
  type HostState,
  hostStateNames,
  type LcmState,
  lcmStateNames,
  type VmState,
  vmStateNames,
} from './opennebula-states.ts';

interface Vm {
  readonly id: number;
  readonly name: string;
  readonly attributes: Map<string, string>;
  readonly images: readonly string[];
  state: VmState;
  lcmState: LcmState;
  hostId: number | null;
  /** Changes with each new operation, which cancels the one in progress. */
  generation: number;
}

interface OneHost {
  readonly id: number;
  readonly name: string;
  state: HostState;
  /** In percent of a CPU, and in KB. */
  maxCpu: number;
  maxMemory: number;
}

export interface OpenNebulaDoubleOptions {
  /** State MONITORED, with 4 CPUs and 4 GiB. */
  readonly hosts: readonly string[];
  /** Duration of each transient state of a VM (ms). */
  readonly delay: number;
  /** VMs with other images do not start. Null: all images exist. */
  readonly images: readonly string[] | null;
}

/** Error codes, from OpenNebula's documentation. */
const errors = { AUTHENTICATION: 0x0100, NO_EXISTS: 0x0400, ACTION: 0x0800, XML_RPC_API: 0x1000 } as const;

class Refusal extends Error {
  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message);
  }
}

type Value = string | number | boolean;

export const doubleSession = 'oneadmin:double';

export class OpenNebulaDouble {
  private readonly vms = new Map<number, Vm>();
  private lastId = -1;
  private readonly hosts: OneHost[] = [];
  private lastHost = -1;
  /** Actions and the VM's name that are held, and how often each was asked for. */
  private readonly held = new Map<string, { times: number; go: (() => void) | null }>();
  /** Number of calls per method. */
  readonly calls = new Map<string, number>();
  private readonly server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      response.setHeader('content-type', 'text/xml');
      response.end(this.answer(Buffer.concat(chunks).toString('utf8')));
    });
  });

  private constructor(private readonly options: OpenNebulaDoubleOptions) {
    for (const name of options.hosts) this.addHost(name);
  }

  static async start(options: OpenNebulaDoubleOptions): Promise<OpenNebulaDouble> {
    const double = new OpenNebulaDouble(options);
    await new Promise<void>((resolve) => double.server.listen(0, '127.0.0.1', resolve));
    return double;
  }

  get endpoint(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/RPC2`;
  }

  /** The guest powers off. */
  powerOff(name: string): void {
    const vm = [...this.vms.values()].find((each) => each.name === name && each.state === 'ACTIVE');
    if (!vm) throw new Error(`there is no active VM ${name}`);
    this.become(vm, 'POWEROFF');
  }

  /** Has an action on a VM take until it is let go. */
  hold(action: string, name: string): { times(): number; letGo(): void } {
    const held: { times: number; go: (() => void) | null } = { times: 0, go: null };
    this.held.set(`${action} ${name}`, held);
    return {
      times: () => held.times,
      letGo: () => {
        this.held.delete(`${action} ${name}`);
        held.go?.();
      },
    };
  }

  addHost(name: string): void {
    this.lastHost += 1;
    this.hosts.push({ id: this.lastHost, name, state: 'MONITORED', maxCpu: 400, maxMemory: 4 * 1_048_576 });
  }

  /** Only hosts without VMs can be removed. */
  removeHost(name: string): void {
    const at = this.hosts.findIndex((host) => host.name === name);
    const isUsed = [...this.vms.values()].some(
      ({ hostId, state }) => hostId === this.hosts[at]?.id && state !== 'DONE',
    );
    if (at < 0 || isUsed) throw new Error(`host ${name} cannot be removed`);
    this.hosts.splice(at, 1);
  }

  changeHost(name: string, change: Partial<Pick<OneHost, 'state' | 'maxCpu' | 'maxMemory'>>): void {
    const host = this.hosts.find((each) => each.name === name);
    if (!host) throw new Error(`there is no host ${name}`);
    Object.assign(host, change);
  }

  close(): Promise<void> {
    this.server.closeAllConnections();
    return new Promise((resolve) => this.server.close(() => resolve()));
  }

  private answer(body: string): string {
    let values: readonly Value[];
    try {
      const call = parseXml(body);
      const method = child(call, 'methodName')?.text.trim() ?? '';
      const [session, ...parameters] = (child(call, 'params')?.children ?? []).map(valueIn);
      if (session !== doubleSession)
        throw new Refusal(errors.AUTHENTICATION, `[${method}] User couldn't be authenticated, aborting call.`);
      this.calls.set(method, (this.calls.get(method) ?? 0) + 1);
      values = [true, this.carryOut(method, parameters), 0];
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      values = [false, error.message, error.code];
    }
    const list = values.map((value) => `<value>${encoded(value)}</value>`).join('');
    return `<?xml version="1.0"?><methodResponse><params><param><value><array><data>${list}</data></array></value></param></params></methodResponse>`;
  }

  private carryOut(method: string, parameters: readonly Value[]): Value {
    const [first, second, third] = parameters;
    switch (method) {
      case 'one.hostpool.info':
        return this.hostPool();
      case 'one.vmpool.info':
        return `<VM_POOL>${[...this.vms.values()]
          .filter(({ state }) => state !== 'DONE')
          .map(vmXml)
          .join('')}</VM_POOL>`;
      case 'one.vm.info':
        return vmXml(this.vm(Number(first), method));
      case 'one.vm.allocate':
        return this.allocate(String(first), second === true);
      case 'one.vm.deploy':
        return this.deploy(this.vm(Number(first), method), Number(second));
      case 'one.vm.action':
        return this.act(String(first), this.vm(Number(second), method));
      case 'one.vm.migrate':
        return this.migrate(this.vm(Number(first), method), Number(second));
      case 'one.vm.update': {
        const vm = this.vm(Number(first), method);
        if (third !== 1) vm.attributes.clear();
        for (const [name, value] of attributesOf(String(second))) vm.attributes.set(name, value);
        return vm.id;
      }
      default:
        throw new Refusal(errors.XML_RPC_API, `Method ${method} not defined`);
    }
  }

  private hostPool(): string {
    const hosts = this.hosts.map(
      ({ id, name, state, maxCpu, maxMemory }) =>
        `<HOST><ID>${id}</ID><NAME>${escapeXml(name)}</NAME><STATE>${hostStateNames.indexOf(state)}</STATE><IM_MAD>kvm</IM_MAD><VM_MAD>kvm</VM_MAD><HOST_SHARE><MEM_USAGE>0</MEM_USAGE><CPU_USAGE>0</CPU_USAGE><TOTAL_MEM>${maxMemory}</TOTAL_MEM><TOTAL_CPU>${maxCpu}</TOTAL_CPU><MAX_MEM>${maxMemory}</MAX_MEM><MAX_CPU>${maxCpu}</MAX_CPU></HOST_SHARE></HOST>`,
    );
    return `<HOST_POOL>${hosts.join('')}</HOST_POOL>`;
  }

  private host(id: number, method: string): OneHost {
    const host = this.hosts.find((each) => each.id === id);
    if (!host) throw new Refusal(errors.NO_EXISTS, `[${method}] Error getting host [${id}].`);
    if (host.state === 'OFFLINE')
      throw new Refusal(errors.ACTION, `[${method}] Host is offline, cannot use it to deploy VM.`);
    return host;
  }

  private vm(id: number, method: string): Vm {
    const vm = this.vms.get(id);
    if (!vm) throw new Refusal(errors.NO_EXISTS, `[${method}] Error getting virtual machine [${id}].`);
    return vm;
  }

  private allocate(template: string, isHeld: boolean): number {
    this.lastId += 1;
    const attributes = new Map(attributesOf(template));
    const images = [...template.matchAll(/DISK=\[IMAGE="((?:[^"\\]|\\.)*)"\]/g)].map(([, name = '']) => unquoted(name));
    const name = attributes.get('NAME') ?? `one-${this.lastId}`;
    for (const known of ['NAME', 'CPU', 'VCPU', 'MEMORY']) attributes.delete(known);
    this.vms.set(this.lastId, {
      id: this.lastId,
      name,
      attributes,
      images,
      state: isHeld ? 'HOLD' : 'PENDING',
      lcmState: 'LCM_INIT',
      hostId: null,
      generation: 0,
    });
    return this.lastId;
  }

  private deploy(vm: Vm, host: number): number {
    const allowed: readonly VmState[] = ['PENDING', 'HOLD', 'STOPPED', 'UNDEPLOYED'];
    if (!allowed.includes(vm.state)) throw this.wrongState('deploy', vm);
    vm.hostId = this.host(host, 'one.vm.deploy').id;
    const { images } = this.options;
    const fails = images !== null && vm.images.some((name) => !images.includes(name));
    this.pass(vm, ['PROLOG', ...(fails ? (['PROLOG_FAILURE'] as const) : (['BOOT', 'RUNNING'] as const))]);
    return vm.id;
  }

  private act(action: string, vm: Vm): number {
    const isRunning = vm.state === 'ACTIVE' && vm.lcmState === 'RUNNING';
    const asked = this.held.get(`${action} ${vm.name}`);
    if (asked) asked.times += 1;
    switch (action) {
      case 'suspend':
        if (!isRunning) throw this.wrongState(action, vm);
        this.pass(vm, ['SAVE_SUSPEND'], 'SUSPENDED', this.held.get(`suspend ${vm.name}`));
        break;
      case 'resume':
        if (vm.state !== 'SUSPENDED' && vm.state !== 'POWEROFF') throw this.wrongState(action, vm);
        this.pass(vm, [vm.state === 'SUSPENDED' ? 'BOOT_SUSPENDED' : 'BOOT_POWEROFF', 'RUNNING']);
        break;
      case 'terminate':
        if (!isRunning && vm.state === 'ACTIVE') throw this.wrongState(action, vm);
        this.pass(vm, ['SHUTDOWN', 'EPILOG'], 'DONE');
        break;
      case 'terminate-hard':
        if (vm.state === 'DONE') throw this.wrongState(action, vm);
        this.pass(vm, ['EPILOG'], 'DONE');
        break;
      default:
        throw new Refusal(errors.ACTION, `[one.vm.action] Error performing action "${action}": it is not supported.`);
    }
    return vm.id;
  }

  private migrate(vm: Vm, host: number): number {
    const { state } = vm;
    if (state !== 'SUSPENDED' && state !== 'POWEROFF') throw this.wrongState('migrate', vm);
    vm.hostId = this.host(host, 'one.vm.migrate').id;
    this.pass(vm, [state === 'SUSPENDED' ? 'PROLOG_MIGRATE_SUSPEND' : 'PROLOG_MIGRATE_POWEROFF'], state);
    return vm.id;
  }

  private wrongState(action: string, vm: Vm): Refusal {
    return new Refusal(
      errors.ACTION,
      `[one.vm.action] Error performing action "${action}": This action is not available for state ${vm.state === 'ACTIVE' ? vm.lcmState : vm.state}`,
    );
  }

  /** Passes through states of the life cycle. The last one remains unless a state follows. */
  private pass(
    vm: Vm,
    lcm: readonly LcmState[],
    after: VmState | null = null,
    held?: { go: (() => void) | null },
  ): void {
    vm.generation += 1;
    const { generation } = vm;
    const step = ([next, ...rest]: readonly LcmState[]): void => {
      if (vm.generation !== generation) return;
      if (next === undefined) {
        if (after !== null) this.become(vm, after);
        return;
      }
      vm.state = 'ACTIVE';
      vm.lcmState = next;
      if (held) held.go = () => step(rest);
      else if (rest.length > 0 || after !== null) setTimeout(() => step(rest), this.options.delay);
    };
    step(lcm);
  }

  private become(vm: Vm, state: VmState): void {
    vm.generation += 1;
    vm.state = state;
    vm.lcmState = 'LCM_INIT';
  }
}

function valueIn(param: Element): Value {
  const [typed] = child(param, 'value')?.children ?? [];
  if (typed?.name === 'boolean') return typed.text.trim() === '1';
  return typed?.name === 'int' || typed?.name === 'i4' ? Number(typed.text) : (typed?.text ?? '');
}

function encoded(value: Value): string {
  if (typeof value === 'string') return `<string>${escapeXml(value)}</string>`;
  return typeof value === 'number' ? `<i4>${value}</i4>` : `<boolean>${value ? 1 : 0}</boolean>`;
}

/** `NAME="value"` lines of a template. */
const attributesOf = (template: string): [string, string][] =>
  [...template.matchAll(/^([A-Z_]+)="((?:[^"\\]|\\.)*)"$/gm)].map(([, name = '', value = '']) => [
    name,
    unquoted(value),
  ]);

const unquoted = (text: string): string => text.replaceAll(/\\(.)/gs, '$1');

function vmXml({ id, name, state, lcmState, hostId, attributes }: Vm): string {
  const user = [...attributes].map(([key, value]) => `<${key}><![CDATA[${value}]]></${key}>`).join('');
  const history = hostId === null ? '' : `<HISTORY><OID>${id}</OID><SEQ>0</SEQ><HID>${hostId}</HID></HISTORY>`;
  return `<VM><ID>${id}</ID><NAME>${escapeXml(name)}</NAME><STATE>${vmStateNames.indexOf(state)}</STATE><LCM_STATE>${lcmStateNames.indexOf(lcmState)}</LCM_STATE><USER_TEMPLATE>${user}</USER_TEMPLATE><HISTORY_RECORDS>${history}</HISTORY_RECORDS></VM>`;
}
