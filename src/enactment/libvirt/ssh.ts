/** What a URI says of ssh, for the programs that are run beside virsh. */

export interface Ssh {
  /** For programs that copy; with the user, where the URI has one. */
  readonly host: string;
  /** What a program on the host is started with; its words are taken apart again by a shell there. */
  readonly command: readonly string[];
  /** The same for rsync on this machine. */
  readonly rsyncShell: string;
  /** For rsync on another host: a key is used where that host has one of the same path. */
  readonly rsyncShellElsewhere: string;
}

/**
 * Of a URI such as `qemu+ssh://root@host:22/system?keyfile=/key`; null where it does not go through ssh. The parameters
 * mean what they mean to libvirt: `keyfile`, `command`, `no_verify`, `known_hosts`, `known_hosts_verify`.
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
    // An IPv6 address stands in brackets only where a port or a path may follow.
    command: [program, ...options, '--', `${user}${hostname.replace(/^\[(.*)\]$/, '$1')}`],
    rsyncShell: rsyncQuoted([program, ...options]),
    rsyncShellElsewhere: rsyncQuoted(['ssh', ...options]),
  };
}

/** As libvirt reads them: a `+` is no space. */
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

/** One value in ssh's configuration. */
const configQuoted = (text: string): string => `"${text.replaceAll(/["\\]/g, '\\$&').replaceAll('%', '%%')}"`;

/** For rsync, which takes a command apart at spaces that are not between quotes, without a shell. */
const rsyncQuoted = (words: readonly string[]): string =>
  words.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "''")}'`)).join(' ');
