/** nginx in front of a server, with a configuration of the test's own. */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Why there is no nginx; null when there is one. */
export const nginxMissing = spawnSync('nginx', ['-v']).error === undefined ? null : 'no nginx on this machine';

export interface Nginx extends AsyncDisposable {
  /** A directory of its own, with `tls.crt` and `tls.key`. */
  readonly directory: string;
}

/**
 * Starts nginx on a port. The configuration has the blocks `events` and `http`; `DIR` in it stands for the directory.
 */
export async function startNginx(configuration: string, port: number): Promise<Nginx> {
  const directory = mkdtempSync(join(tmpdir(), 'leasegraph-nginx-'));
  mkdirSync(join(directory, 'temp'));
  execFileSync(
    'openssl',
    ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-subj', '/CN=localhost', '-days', '1'].concat([
      ...['-keyout', join(directory, 'tls.key'), '-out', join(directory, 'tls.crt')],
    ]),
    { stdio: 'ignore' },
  );
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${directory}/temp/${name};`)
    .join(' ');
  const file = join(directory, 'nginx.conf');
  writeFileSync(
    file,
    configuration.replaceAll('DIR', directory).replace('http {', `http { access_log off; ${temporary}`),
  );
  const settings = `daemon off; pid ${directory}/nginx.pid; error_log stderr;`;
  const nginx = spawn('nginx', ['-p', directory, '-c', file, '-e', 'stderr', '-g', settings]);
  let errors = '';
  nginx.stderr.on('data', (data) => {
    errors += data;
  });
  const ended = once(nginx, 'close');
  const running = (async () => {
    for (;;) {
      const socket = connect(port, '127.0.0.1');
      try {
        await once(socket, 'connect');
        return;
      } catch {
        await new Promise((resolve) => setTimeout(resolve, 20));
      } finally {
        socket.destroy();
      }
    }
  })();
  await Promise.race([running, ended.then(() => Promise.reject(new Error(`nginx has ended: ${errors}`)))]);
  return {
    directory,
    [Symbol.asyncDispose]: async () => {
      nginx.kill('SIGTERM');
      await ended;
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
