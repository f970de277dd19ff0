import { randomBytes } from 'node:crypto'
import { html, htmlDocument, pageHeaders, styleDirective } from '../../../kernel/http/index.ts'
import type { ConsoleEntries } from './console-assets.ts'

export interface ConsolePage {
  text: string
  headers: Record<string, string>
}

const closed = ["form-action 'self'", "frame-ancestors 'none'", "base-uri 'none'"]

/** The same for everyone: it contains no data, so it needs no session. */
export function consolePage({ entry, css = [], preload = [] }: ConsoleEntries): ConsolePage {
  // The editor of manifests adds style elements, which the policy allows with this nonce only.
  const nonce = randomBytes(18).toString('base64')
  const text = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="theme-color" content="#f3f4f1" media="(prefers-color-scheme: light)">
<meta name="theme-color" content="#121614" media="(prefers-color-scheme: dark)">
<meta property="csp-nonce" nonce="${nonce}">
<title>Mortise</title>
<link rel="icon" href="data:,">
${css.map((name) => html`<link rel="stylesheet" href="/console/${name}">\n`)}
${preload.map((name) => html`<link rel="modulepreload" href="/console/${name}">\n`)}
<script type="module" src="/console/${entry}"></script>
</head>
<body>
<div id="root"></div>
<noscript>The console needs JavaScript. The command line and the API do everything without it.</noscript>
</body>
</html>
`.text
  return {
    text,
    headers: {
      ...pageHeaders,
      'content-security-policy': [
        "default-src 'none'",
        "script-src 'self'",
        `style-src 'self' 'nonce-${nonce}'`,
        "connect-src 'self'",
        "img-src 'self' data:",
        "font-src 'self'",
        ...closed,
      ].join('; '),
    },
  }
}

/** Says how to build the console, and reloads after three seconds: a first start builds it while the service runs. */
export function notBuiltPage(): ConsolePage {
  const content = html`<p>The first start builds it within seconds, and this page then opens it. If it does not, run <code>npm run build</code> in the folder of Mortise.</p>`
  return {
    text: htmlDocument('The console is not built yet', content),
    headers: {
      ...pageHeaders,
      refresh: '3',
      'retry-after': '3',
      'content-security-policy': ["default-src 'none'", styleDirective, ...closed].join('; '),
    },
  }
}
