/** Which addresses webhooks may call: public ones, and those that the configuration allows. */
import { BlockList, isIP, isIPv4 } from 'node:net';

/** Addresses that are not public: of this machine, of its networks, and those that stand for such addresses. */
const notPublic: readonly string[] = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12'],
  ...['192.0.0.0/24', '192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15', '198.51.100.0/24'],
  ...['203.0.113.0/24', '224.0.0.0/4', '240.0.0.0/4'],
  ...['::/128', '::1/128', '64:ff9b::/96', '64:ff9b:1::/48', '100::/64', '2001::/32', '2001:db8::/32'],
  ...['2002::/16', 'fc00::/7', 'fe80::/10', 'fec0::/10', 'ff00::/8'],
];

/** `[address, prefix length]`; null for a text that is no network in CIDR notation, or address. */
export function networkOf(text: string): readonly [address: string, prefix: number] | null {
  const [address = '', length, ...rest] = text.split('/');
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return null;
  const max = version === 4 ? 32 : 128;
  if (length === undefined) return [address, max];
  return /^\d{1,3}$/.test(length) && Number(length) <= max ? [address, Number(length)] : null;
}

function listOf(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const text of networks) {
    const network = networkOf(text);
    if (network === null) throw new Error(`${text} is not a network`);
    list.addSubnet(network[0], network[1], isIPv4(network[0]) ? 'ipv4' : 'ipv6');
  }
  return list;
}

export class AddressNotAllowed extends Error {
  override readonly name = 'AddressNotAllowed';
}

export class AddressRules {
  private readonly allowed: BlockList;
  private readonly refused = listOf(notPublic);

  /** `allowed`: networks in CIDR notation. */
  constructor(allowed: readonly string[]) {
    this.allowed = listOf(allowed);
  }

  /** Throws AddressNotAllowed. */
  check(address: string): void {
    const plain = unmapped(address);
    const family = isIPv4(plain) ? 'ipv4' : 'ipv6';
    if (isIP(plain) !== 0 && (this.allowed.check(plain, family) || !this.refused.check(plain, family))) return;
    throw new AddressNotAllowed(`The address ${address} is not public, and webhooks.allowedNetworks does not name it.`);
  }
}

/** The IPv4 address that an IPv6 address stands for. */
function unmapped(address: string): string {
  const plain = address.replace(/^\[|\]$/g, '').replace(/%.*$/, '');
  const [, dotted] = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(plain) ?? [];
  if (dotted !== undefined) return dotted;
  const [, high, low] = /^::ffff:([\da-f]{1,4}):([\da-f]{1,4})$/i.exec(plain) ?? [];
  if (high === undefined || low === undefined) return plain;
  const parts = [Number.parseInt(high, 16), Number.parseInt(low, 16)];
  return parts.flatMap((part) => [part >> 8, part & 255]).join('.');
}
