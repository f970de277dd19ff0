import { html, jsonBlock } from '../../../../kernel/http/index.ts'
import type { Page } from './page.ts'

export interface HostedPage {
  /** The name of the application; undefined until the builder has chosen one. */
  appName: string | undefined
  logoUrl: string | undefined
  projectId: string
  purpose: string
  language: string | undefined
  /** Name of the script. */
  script: string
  /** Name of the script with the texts of the language, so that the browser loads both at the same time. */
  languageScript: string | undefined
  /** What the first view of the component needs, as JSON. It saves a request. */
  info: string
  /** The page that works without scripts. */
  formPath: string
  /** Origins that may show the page in a frame. */
  frameOrigins: readonly string[]
}

/**
 * Renders the page that the components draw. It has no inline script and no inline style. Its script finds the token in
 * the path. The page contains what the token may read, so no cache may store it.
 */
export function hostedPage(page: HostedPage): Page {
  const { appName, projectId, purpose, language, script, languageScript, info, formPath } = page
  const text = html`<!doctype html>
<html lang="${language ?? 'en'}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${appName ?? 'Connect your account'}</title>
<link rel="icon" href="data:,">
<noscript><meta http-equiv="refresh" content="0;url=${formPath}"></noscript>
<script type="module" src="/connect/assets/${script}"></script>
${languageScript !== undefined && html`<link rel="modulepreload" href="/connect/assets/${languageScript}">`}
</head>
<body>
<main id="mortise" data-purpose="${purpose}" data-project="${projectId}"></main>
${jsonBlock('mortise-info', info)}
<noscript><a href="${formPath}">Connect your account</a></noscript>
</body>
</html>
`.text
  return { status: 200, text, headers: hostedHeaders(page) }
}

function hostedHeaders({ logoUrl, frameOrigins }: HostedPage): Record<string, string> {
  const logo = logoUrl === undefined ? null : URL.parse(logoUrl)
  // A URL may have `;` and `,` in its host, which mean something else in a policy.
  const logoOrigin = logo && /^[a-z0-9.-]+(:\d+)?$/.test(logo.host) ? ` ${logo.origin}` : ''
  return {
    'cache-control': 'no-store',
    // The address contains the token, so the browser must not send it to another origin.
    'referrer-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
    // An older header, which cannot name origins.
    ...(frameOrigins.length === 0 && { 'x-frame-options': 'DENY' }),
    'content-security-policy': [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "connect-src 'self'",
      `img-src 'self' data:${logoOrigin}`,
      "form-action 'none'",
      "base-uri 'none'",
      `frame-ancestors ${frameOrigins.length === 0 ? "'none'" : frameOrigins.join(' ')}`,
      "require-trusted-types-for 'script'",
      'trusted-types lit-html',
    ].join('; '),
  }
}
