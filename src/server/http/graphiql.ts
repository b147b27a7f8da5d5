import { isNamed, takesAnyText } from './accept.ts';
import type { Answer } from './answer.ts';
import { immutable, SharedFile } from './shared-file.ts';

const firstQuery = `# Ctrl-Enter runs the operation under the cursor.
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

/** Allows only scripts, styles and connections of this server. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self' 'unsafe-eval' blob:",
  'worker-src blob:',
  "style-src 'self' 'unsafe-inline'",
  'img-src data:',
  'font-src data:',
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/**
 * Runs before GraphiQL: asks for the token, keeps it for the tab and sends it with each request. Asks again if the
 * server rejects it.
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
      + '<button style="padding:.5rem;font:inherit">Continue</button></form>';
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
    let message = 'This server needs a token. The admin token was printed at the first start and is kept in the data directory.';
    for (;;) {
      const token = sessionStorage.getItem(key) ?? (await ask(message));
      const attempt = request.clone();
      attempt.headers.set('authorization', 'Bearer ' + token);
      const response = await send(attempt);
      if (response.status !== 401) return response;
      if (sessionStorage.getItem(key) === token) sessionStorage.removeItem(key);
      message = 'The server rejected this token. Enter another one.';
    }
  };
})();
`;

interface Site {
  readonly page: SharedFile;
  /** By file name, which holds the hash of the content. */
  readonly assets: ReadonlyMap<string, SharedFile>;
}

let site: Promise<Site> | undefined;

/** Built on first use: it takes some megabytes that most servers never need. */
async function makeSite(): Promise<Site> {
  const { renderGraphiQL } = await import('@graphql-yoga/render-graphiql');
  const html = renderGraphiQL({
    title: 'Leasegraph',
    defaultQuery: firstQuery,
    subscriptionsProtocol: 'SSE',
  });
  const style = between(html, '<style>', '</style>');
  const script = between(html, '<script>', '</script>');
  const icon = /<link rel="icon" href="data:([^;,"]+);base64,([^"]*)"/.exec(html);
  if (!icon) throw new Error('the page of GraphiQL has no icon of its own');
  const [, iconType = '', iconData = ''] = icon;
  const favicon = new SharedFile(iconType, Buffer.from(iconData, 'base64'), immutable);
  const css = new SharedFile('text/css; charset=utf-8', Buffer.from(style.content), immutable);
  const js = new SharedFile(
    'text/javascript; charset=utf-8',
    Buffer.from(`${askForToken}\n${script.content}`),
    immutable,
  );
  const names = {
    css: `graphiql-${css.hash}.css`,
    js: `graphiql-${js.hash}.js`,
    favicon: `favicon-${favicon.hash}`,
  };
  // Relative, so that the page works behind a proxy under another path.
  const page = html
    .replace(icon[0], () => `<link rel="icon" href="graphql/assets/${names.favicon}"`)
    .replace(script.element, () => `<script src="graphql/assets/${names.js}"></script>`)
    .replace(style.element, () => `<link rel="stylesheet" href="graphql/assets/${names.css}" />`);
  return {
    page: new SharedFile('text/html; charset=utf-8', Buffer.from(page), {
      'cache-control': 'no-cache',
      'content-security-policy': contentSecurityPolicy,
      'referrer-policy': 'no-referrer',
    }),
    assets: new Map([
      [names.css, css],
      [names.js, js],
      [names.favicon, favicon],
    ]),
  };
}

/** The first element between two tags of the page, which holds one of its kind. */
function between(html: string, open: string, close: string): { readonly element: string; readonly content: string } {
  const start = html.indexOf(open);
  const end = html.lastIndexOf(close);
  if (start < 0 || end < start) throw new Error(`the page of GraphiQL has no element ${open}`);
  return { element: html.slice(start, end + close.length), content: html.slice(start + open.length, end) };
}

/** Whether a browser asks for a page. */
export function wantsPage(request: Request): boolean {
  return (
    (request.method === 'GET' || request.method === 'HEAD') && isNamed('text/html', request.headers.get('accept') ?? '')
  );
}

/** Whether a request takes a page although it names none: `curl` sends `*\/*`. */
export function takesPage(request: Request): boolean {
  if (wantsPage(request)) return true;
  if (request.method !== 'GET' && request.method !== 'HEAD') return false;
  return takesAnyText(request.headers.get('accept') ?? '');
}

export async function graphiqlPage(request: Request): Promise<Answer> {
  site ??= makeSite();
  return (await site).page.answer(request);
}

/** Null when there is no such file. */
export async function graphiqlAsset(request: Request, name: string): Promise<Answer | null> {
  site ??= makeSite();
  return (await site).assets.get(name)?.answer(request) ?? null;
}
