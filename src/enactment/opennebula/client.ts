/** The part of OpenNebula's XML-RPC interface that the adapter uses. */
import type { Millis } from '../../core/index.ts';
import { HostUnreachable } from '../../engine/ports.ts';
import { child, type Element, escapeXml, parseXml, textAt } from './xml.ts';

export type Parameter = string | number | boolean;

/** What OpenNebula refused. */
export class OpenNebulaError extends Error {
  override readonly name = 'OpenNebulaError';

  constructor(
    message: string,
    /** An error code of OpenNebula's documentation, such as 0x0400. */
    readonly code: number,
  ) {
    super(message);
  }
}

export interface OneHost {
  readonly id: number;
  readonly name: string;
  readonly state: number;
  /** Its capacity for machines, in the units of nodes; 0 before it was first monitored. */
  readonly capacity: { readonly CPU: number; readonly Memory: number };
}

export interface OneVm {
  readonly id: number;
  readonly name: string;
  readonly state: number;
  readonly lcmState: number;
  /** From the newest history record; null before the first deployment. */
  readonly hostId: number | null;
  /** Attributes of its user template. */
  readonly attributes: Readonly<Record<string, string>>;
}

export interface ClientOptions {
  /** Such as `http://frontend:2633/RPC2`. */
  readonly endpoint: string;
  /** `user:password`, or a token. */
  readonly session: string;
  readonly timeLimit: Millis;
}

/** All VMs visible to the user, with any number. */
const everyVm = [-2, -1, -1] as const;
/** Any state but DONE. */
const notDone = -1;

export class OpenNebulaClient {
  constructor(private readonly options: ClientOptions) {}

  async hosts(signal: AbortSignal): Promise<readonly OneHost[]> {
    const pool = parseXml(String(await this.call('one.hostpool.info', [], signal)));
    return pool.children
      .filter(({ name }) => name === 'HOST')
      .map((host) => ({
        id: Number(textAt(host, 'ID')),
        name: textAt(host, 'NAME'),
        state: Number(textAt(host, 'STATE')),
        capacity: {
          CPU: Number(textAt(host, 'HOST_SHARE', 'MAX_CPU')),
          // In KB.
          Memory: Math.floor(Number(textAt(host, 'HOST_SHARE', 'MAX_MEM')) / 1_024),
        },
      }));
  }

  async vms(signal: AbortSignal): Promise<readonly OneVm[]> {
    const pool = parseXml(String(await this.call('one.vmpool.info', [...everyVm, notDone], signal)));
    return pool.children.filter(({ name }) => name === 'VM').map(vmOf);
  }

  async vm(id: number, signal: AbortSignal): Promise<OneVm> {
    return vmOf(parseXml(String(await this.call('one.vm.info', [id, false], signal))));
  }

  /** Creates a VM that is not yet deployed. */
  async allocate(template: string, signal: AbortSignal): Promise<number> {
    return Number(await this.call('one.vm.allocate', [template, true], signal));
  }

  /** The scheduler checks capacity. */
  async deploy(vm: number, host: number, signal: AbortSignal): Promise<void> {
    await this.call('one.vm.deploy', [vm, host, false, -1, ''], signal);
  }

  async action(action: string, vm: number, signal: AbortSignal): Promise<void> {
    await this.call('one.vm.action', [action, vm], signal);
  }

  async migrate(vm: number, host: number, isLive: boolean, signal: AbortSignal): Promise<void> {
    await this.call('one.vm.migrate', [vm, host, isLive, false, -1, 0], signal);
  }

  /** Adds or replaces attributes of its user template. */
  async update(vm: number, template: string, signal: AbortSignal): Promise<void> {
    await this.call('one.vm.update', [vm, template, 1], signal);
  }

  private async call(
    method: string,
    parameters: readonly Parameter[],
    signal: AbortSignal,
  ): Promise<string | number | boolean> {
    const { endpoint, session, timeLimit } = this.options;
    signal.throwIfAborted();
    const limit = AbortSignal.timeout(timeLimit);
    let answer: string;
    try {
      const response = await fetch(endpoint, {
        method: 'POST',
        headers: { 'content-type': 'text/xml' },
        body: methodCall(method, [session, ...parameters]),
        signal: AbortSignal.any([signal, limit]),
      });
      answer = await response.text();
      if (!response.ok) throw new Error(`it answered ${response.status}`);
    } catch (error) {
      signal.throwIfAborted();
      throw new HostUnreachable(`OpenNebula at ${endpoint} does not answer: ${causeOf(error)}`);
    }
    const [isDone, result = '', code] = resultsOf(parseXml(answer));
    if (isDone === true) return result;
    throw new OpenNebulaError(`${method}: ${result}`, Number(code ?? 0));
  }
}

const causeOf = (error: unknown): string => {
  const { cause, message } = error as Error & { cause?: Error };
  return cause?.message ?? message;
};

function methodCall(method: string, parameters: readonly Parameter[]): string {
  const values = parameters.map((each) => {
    if (typeof each === 'string') return `<string>${escapeXml(each)}</string>`;
    return typeof each === 'number' ? `<int>${each}</int>` : `<boolean>${each ? 1 : 0}</boolean>`;
  });
  const list = values.map((value) => `<param><value>${value}</value></param>`).join('');
  return `<?xml version="1.0"?><methodCall><methodName>${method}</methodName><params>${list}</params></methodCall>`;
}

/** Responses are arrays: success, result or error, and code. */
function resultsOf(response: Element): readonly Parameter[] {
  const fault = child(response, 'fault');
  if (fault) throw new OpenNebulaError(`fault: ${allText(fault)}`, 0);
  const value = child(child(child(response, 'params'), 'param'), 'value');
  const data = child(child(value, 'array'), 'data');
  return (data?.children ?? []).map((each) => {
    const [typed] = each.children;
    if (!typed) return each.text;
    if (typed.name === 'boolean') return typed.text.trim() === '1';
    return typed.name === 'string' ? typed.text : Number(typed.text);
  });
}

const allText = ({ text, children }: Element): string => [text.trim(), ...children.map(allText)].join(' ').trim();

function vmOf(vm: Element): OneVm {
  const history = child(vm, 'HISTORY_RECORDS')?.children.at(-1);
  const attributes = child(vm, 'USER_TEMPLATE')?.children ?? [];
  return {
    id: Number(textAt(vm, 'ID')),
    name: textAt(vm, 'NAME'),
    state: Number(textAt(vm, 'STATE')),
    lcmState: Number(textAt(vm, 'LCM_STATE')),
    hostId: history ? Number(textAt(history, 'HID')) : null,
    attributes: Object.fromEntries(attributes.map(({ name, text }) => [name, text.trim()])),
  };
}
