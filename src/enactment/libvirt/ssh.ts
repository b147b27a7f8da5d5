/** The ssh settings of a URI, for programs other than virsh. */

export interface Ssh {
  /** The destination for copies, with the user if the URI has one. */
  readonly host: string;
  /** Prefix of commands on the host. A remote shell splits the words again. */
  readonly command: readonly string[];
  /** The same for rsync on the local machine. */
  readonly rsyncShell: string;
  /** For rsync on another host, which must have the key at the same path. */
  readonly rsyncShellElsewhere: string;
}

/**
 * Parses a URI such as `qemu+ssh://root@host:22/system?keyfile=/key`; null if it does not use ssh. Parameters have the
 * same meaning as in libvirt: `keyfile`, `command`, `no_verify`, `known_hosts`, `known_hosts_verify`.
 */
export function sshOf(uri: string): Ssh | null {
  if (!/^\w+\+(ssh|libssh2?):\/\//.test(uri)) return null;
  const { hostname, port, search, username } = new URL(uri);
  const user = username === '' ? '' : `${decodeURIComponent(username)}@`;
  const parameters = parametersOf(search);
  const options = ['-o', 'BatchMode=yes', '-o', 'ConnectTimeout=10', ...optionsOf(port, parameters)];
  const program = parameters.get('command') || 'ssh';
  return {
    host: `${user}${hostname}`,
    // IPv6 addresses have brackets only where a port or path may follow.
    command: [program, ...options, '--', `${user}${hostname.replace(/^\[(.*)\]$/, '$1')}`],
    rsyncShell: rsyncQuoted([program, ...options]),
    rsyncShellElsewhere: rsyncQuoted(['ssh', ...options]),
  };
}

/** Decoded as by libvirt: `+` does not mean a space. */
function parametersOf(search: string): ReadonlyMap<string, string> {
  const pairs = search.slice(1).split(/[&;]/);
  return new Map(
    pairs.map((pair) => {
      const [name = '', ...value] = pair.split('=');
      return [decodeURIComponent(name), decodeURIComponent(value.join('='))];
    }),
  );
}

function optionsOf(port: string, parameters: ReadonlyMap<string, string>): string[] {
  const keyFile = parameters.get('keyfile') ?? '';
  const knownHosts = parameters.get('known_hosts') ?? '';
  const verify = parameters.get('known_hosts_verify');
  const isUnverified = verify === 'ignore' || Number(parameters.get('no_verify') ?? 0) !== 0;
  const checking = isUnverified ? 'no' : verify === 'auto' ? 'accept-new' : null;
  return [
    ...(port === '' ? [] : ['-p', port]),
    ...(keyFile === '' ? [] : ['-i', keyFile.replaceAll('%', '%%')]),
    ...(knownHosts === '' ? [] : ['-o', `UserKnownHostsFile=${configQuoted(knownHosts)}`]),
    ...(checking === null ? [] : ['-o', `StrictHostKeyChecking=${checking}`]),
  ];
}

/** Quotes a value for the configuration of ssh. */
const configQuoted = (text: string): string => `"${text.replaceAll(/["\\]/g, '\\$&').replaceAll('%', '%%')}"`;

/** Quotes a word for rsync, which splits its command at unquoted spaces without a shell. */
const rsyncQuoted = (words: readonly string[]): string =>
  words.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "''")}'`)).join(' ');
