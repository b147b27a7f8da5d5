import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

const firstQuery = `# Ctrl-Enter runs the operation under the cursor,
# Ctrl-Space completes what you type.
query Site {
  site { name resourceTypes }
  serverTime
  nodes {
    nodes {
      hostname
      capacity { type amount }
      available { type amount }
    }
  }
  leases(last: 10) {
    nodes { number name type state actualStart endedAt }
  }
}

mutation Request {
  requestLease(input: {
    type: BEST_EFFORT
    name: "first lease"
    machines: [{
      count: 2
      capacity: [
        { type: "CPU", amount: 100 }
        { type: "Memory", amount: 1024 }
      ]
    }]
    duration: "PT1H"
  }) {
    lease { id number state }
    userErrors { code message path }
  }
}

subscription Watch {
  leaseEvents(after: 0) {
    sequence at from to
    lease { number name }
  }
}
`;

/** Nothing but this server's own page and answers: a script from elsewhere would not run. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'unsafe-inline' 'unsafe-eval' blob:",
  'worker-src blob:',
  "style-src 'unsafe-inline'",
  'img-src data:',
  'font-src data:',
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/**
 * Runs before GraphiQL in its page: asks for the token, keeps it for this tab, and sends it along. A token that the server does not
 * know is asked for again.
 */
const askForToken = /* js */ `
(() => {
  const key = 'leasegraph.token';
  const send = window.fetch.bind(window);
  let asking = null;
  const ask = (message) => (asking ??= new Promise((resolve) => {
    const dialog = document.createElement('dialog');
    dialog.id = 'leasegraph-token';
    dialog.style.cssText = 'margin:auto;padding:1.5rem;border:1px solid #8884;border-radius:8px;font:15px system-ui;max-width:26rem';
    dialog.innerHTML = '<form method="dialog" style="display:grid;gap:.8rem"><strong>Leasegraph</strong><span></span>'
      + '<input type="password" name="token" required autofocus autocomplete="off" spellcheck="false" aria-label="Bearer token" style="padding:.5rem;font:inherit">'
      + '<button style="padding:.5rem;font:inherit">Go on</button></form>';
    dialog.querySelector('span').textContent = message;
    dialog.addEventListener('cancel', (event) => event.preventDefault());
    dialog.querySelector('form').addEventListener('submit', (event) => {
      event.preventDefault();
      const token = dialog.querySelector('input').value.trim();
      sessionStorage.setItem(key, token);
      dialog.remove();
      asking = null;
      resolve(token);
    });
    document.body.append(dialog);
    dialog.showModal();
  }));
  window.fetch = async (input, init) => {
    const request = new Request(input, init);
    if (new URL(request.url).origin !== location.origin) return send(request);
    let message = 'This server asks for a token. The admin token was printed at its first start, and is kept in its data directory.';
    for (;;) {
      const token = sessionStorage.getItem(key) ?? (await ask(message));
      const attempt = request.clone();
      attempt.headers.set('authorization', 'Bearer ' + token);
      const response = await send(attempt);
      if (response.status !== 401) return response;
      if (sessionStorage.getItem(key) === token) sessionStorage.removeItem(key);
      message = 'The server does not know that token. Try another one.';
    }
  };
})();
`;

interface Page {
  readonly plain: Uint8Array<ArrayBuffer>;
  readonly zipped: Uint8Array<ArrayBuffer>;
}

let page: Promise<Page> | undefined;

/** Made when it is first asked for: it is some megabytes, which most servers never need. */
async function makePage(): Promise<Page> {
  const { renderGraphiQL } = await import('@graphql-yoga/render-graphiql');
  const html = renderGraphiQL({
    title: 'Leasegraph',
    defaultQuery: firstQuery,
    subscriptionsProtocol: 'SSE',
  });
  const plain = new TextEncoder().encode(
    html.replace('<div id="root"></div>', `$&<script>${askForToken}</script>`),
  );
  return { plain, zipped: new Uint8Array(await promisify(gzip)(plain)) };
}

/** Whether a browser asks for a page. */
export const wantsPage = (request: Request): boolean =>
  (request.method === 'GET' || request.method === 'HEAD') &&
  (request.headers.get('accept') ?? '').includes('text/html');

export async function graphiqlPage(request: Request): Promise<Response> {
  page ??= makePage();
  const { plain, zipped } = await page;
  const compressed = /\bgzip\b/.test(request.headers.get('accept-encoding') ?? '');
  return new Response(request.method === 'HEAD' ? null : compressed ? zipped : plain, {
    headers: {
      'content-type': 'text/html; charset=utf-8',
      ...(compressed ? { 'content-encoding': 'gzip' } : {}),
      vary: 'accept, accept-encoding',
      'cache-control': 'no-cache',
      'content-security-policy': contentSecurityPolicy,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    },
  });
}
