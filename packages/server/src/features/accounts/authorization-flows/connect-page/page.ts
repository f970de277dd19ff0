import { type Html, html, htmlDocument, styleDirective } from '../../../../kernel/http/index.ts'
import type { OutcomeText } from '../outcome-text.ts'

/** A rendered page with its status and headers. */
export interface Page {
  status: 200 | 400 | 403 | 404
  text: string
  headers: Record<string, string>
}

/**
 * Security headers of a connect page: no scripts, no other resources, no framing, no caching. The address contains the
 * token, so the browser must not send it to another origin. `no-referrer` does not work here: browsers would then send
 * `Origin: null` with our own forms. There is no opener policy, because the application that opened the window may wait
 * in it for the page that the customer ends on.
 */
export const pageHeaders: Record<string, string> = {
  'cache-control': 'no-store',
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'content-security-policy': [
    "default-src 'none'",
    styleDirective,
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; '),
}

/**
 * Renders a connect page.
 *
 * @param options.appName the application that the account is connected to
 * @param options.leadsTo where the browser continues immediately. This is a refresh rather than a redirect:
 *   `form-action` also restricts the redirects after a form, and the provider's redirect targets are unknown
 */
export function connectPage(
  title: string,
  content: Html,
  { status = 200, appName, leadsTo }: { status?: Page['status']; appName?: string | undefined; leadsTo?: string } = {},
): Page {
  return {
    status,
    text: htmlDocument(title, content, { brand: appName }),
    headers: { ...pageHeaders, ...(leadsTo !== undefined && { refresh: `0;url=${leadsTo}` }) },
  }
}

/** Renders a page that continues to `url` automatically, with a button for browsers that do not. */
export function onwardPage(
  title: string,
  text: string,
  { url, button, appName }: { url: string; button: string; appName: string | undefined },
): Page {
  const content = html`<p>${text}</p><a class="button" href="${url}">${button}</a>`
  return connectPage(title, content, { appName, leadsTo: url })
}

export function donePage(
  { title, text }: OutcomeText,
  { appName, redirectUrl }: { appName: string | undefined; redirectUrl: string | undefined },
): Page {
  if (redirectUrl === undefined)
    return connectPage(title, html`<p>${`${text} You can close this window.`.trim()}</p>`, { appName })
  const onwards = `${text} Returning you to the application…`.trim()
  return onwardPage(title, onwards, { url: redirectUrl, button: 'Continue', appName })
}

/** Renders the choice of a provider, for a session that has several. */
export function providersPage(
  providers: readonly { name: string; displayName: string }[],
  { path, appName }: { path: string; appName: string | undefined },
): Page {
  return connectPage(
    appName === undefined ? 'Connect your account' : `Connect your account to ${appName}`,
    html`${providers.map(({ name, displayName }) => html`<a class="button second" href="${path}?provider=${encodeURIComponent(name)}">${displayName}</a>`)}`,
    { appName },
  )
}

export function unknownPage(): Page {
  return connectPage(
    'This link is not valid',
    html`<p>It has expired or is incomplete. Nothing was connected. Go back to where you got it and request a new link.</p>`,
    { status: 404 },
  )
}

export function staleFormPage(path: string, appName: string | undefined): Page {
  return connectPage(
    'This form has expired',
    html`<p>You opened it too long ago or in another browser. Nothing was connected. Allow cookies and try again.</p>
<a class="button" href="${path}">Try again</a>`,
    { status: 403, appName },
  )
}
