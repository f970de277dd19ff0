import { html, htmlDocument, pageHeaders, styleDirective } from '../../../kernel/http/index.ts'
import type { RefusedRequest } from './begin-sign-in.ts'
import { redirectTarget } from './redirect-uri.ts'

const { 'cross-origin-opener-policy': _, ...headers } = pageHeaders

/**
 * Headers of pages and redirects of the sign-in: their addresses have ids and tickets, which no other page learns.
 * There is no opener policy, because a client in a browser may wait in the window that opened this one.
 */
export const signInHeaders = {
  ...headers,
  'referrer-policy': 'no-referrer',
  'content-security-policy': `default-src 'none'; ${styleDirective}; form-action 'none'; frame-ancestors 'none'; base-uri 'none'`,
}

/**
 * Renders why a sign-in cannot begin. The browser is not redirected to the client: anybody can register a client
 * and an address, and a link to Mortise must not lead there (RFC 9700, 4.11.2).
 */
export function refusedPage({ faults, client, returnUrl }: RefusedRequest): string {
  const target = client && returnUrl !== undefined ? { name: client.name, ...redirectTarget(returnUrl) } : undefined
  return htmlDocument(
    'The sign-in cannot begin',
    html`<p>The program that opened this page sent a request that is not valid. Nothing was connected.</p>
<ul>${faults.map((fault) => html`<li>${fault}</li>`)}</ul>
${target && html`<p><a href="${returnUrl}" rel="noreferrer">Return to ${target.name} (${target.host})</a></p>`}`,
  )
}

/** Renders the end of a sign-in that does not belong to this browser. */
export function stalePage(): string {
  return htmlDocument(
    'The sign-in has ended',
    html`<p>This page has expired, was already used, or belongs to another browser. Nothing was connected. Start the sign-in again in the program that you want to connect.</p>
<p>If you did not start one yourself, somebody sent you their link. You can close this page.</p>`,
  )
}
