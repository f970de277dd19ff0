import { html } from './html.ts'
import { htmlDocument } from './html-document.ts'

/**
 * Returns the page that a browser gets in place of a 404 problem. It does not repeat the address, which anybody may
 * have written.
 */
export function notFoundPage(requestId: string): string {
  return htmlDocument(
    'Page not found',
    html`<p>There is no page at this address. Check the address, or continue here:</p>
<a class="button" href="/console">Open the console</a>
<a class="button second" href="/docs">Documentation</a>`,
    { tail: html`<footer>Request ${requestId}</footer>\n` },
  )
}
