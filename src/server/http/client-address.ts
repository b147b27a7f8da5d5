/** The client address, for rate limits. */
import { BlockList, isIP, isIPv4 } from 'node:net';

/** The address of a client from its connection and X-Forwarded-For; null without a connection. */
export type ClientAddress = (
  peer: string | undefined,
  forwardedFor: string | readonly string[] | undefined,
) => string | null;

/**
 * `trustedProxies`: addresses and networks in CIDR notation. Only the part of the header written by trusted proxies
 * counts: it is read from the end up to the first address that is not a trusted proxy.
 */
export function clientAddresses(trustedProxies: readonly string[]): ClientAddress {
  const trusted = new BlockList();
  for (const network of trustedProxies) {
    const [address = '', length] = network.split('/');
    const [family, bits] = isIPv4(address) ? (['ipv4', 32] as const) : (['ipv6', 128] as const);
    trusted.addSubnet(address, length === undefined ? bits : Number(length), family);
  }
  const isTrusted = (address: string): boolean => trusted.check(address, isIPv4(address) ? 'ipv4' : 'ipv6');
  return (peer, forwardedFor) => {
    if (peer === undefined) return null;
    let address = plain(peer);
    const hops = [forwardedFor ?? []].flat().join(',').split(',');
    while (isTrusted(address)) {
      const next = plain(hops.pop() ?? '');
      if (isIP(next) === 0) break;
      address = next;
    }
    return networkOfClient(address);
  };
}

/** Without brackets, a port or a zone; an IPv4 address that is mapped to IPv6 as itself. */
function plain(text: string): string {
  const address = text
    .trim()
    .replace(/^\[(.*)\](:\d+)?$/, '$1')
    .replace(/%.*$/, '');
  const withoutPort = /^[\d.]+:\d+$/.test(address) ? address.replace(/:\d+$/, '') : address;
  return withoutPort.replace(/^::ffff:(?=[\d.]+$)/i, '');
}

/** An IPv6 client controls a whole /64 network. */
function networkOfClient(address: string): string {
  if (isIP(address) !== 6) return address;
  const [head = '', tail] = address.toLowerCase().split('::');
  const groups = head === '' ? [] : head.split(':');
  if (tail !== undefined) {
    const last = tail === '' ? [] : tail.split(':');
    groups.push(...Array.from({ length: Math.max(0, 8 - groups.length - last.length) }, () => '0'), ...last);
  }
  const network = groups.slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16));
  return `${network.join(':')}::/64`;
}
