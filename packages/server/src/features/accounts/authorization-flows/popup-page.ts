import { hash } from 'node:crypto'
import { Html, html, htmlDocument, styleDirective } from '../../../kernel/http/index.ts'

/** What a page in a window that an application opened says: to people, and to that application. */
export interface PopupPage {
  title: string
  text: string
  /** The application that the account is connected to, where that is known. */
  appName?: string | undefined
  /**
   * Posted to the window that opened this one; nothing else ever is, since existing clients close the popup at any
   * message.
   */
  message: object
  /** The origin that may read the message; `*` where it is not known, for messages that anybody may read. */
  targetOrigin: string
  /** Whether the window goes when its opener has been told. Without an opener it stays. */
  closes: boolean
}

/**
 * Reads what was decided from a block of data, so that the script is always the same and its hash lets it run alone.
 */
const script = `(() => {
  const { message, targetOrigin, closes } = JSON.parse(document.getElementById('outcome').textContent)
  // The address holds what the provider sent back: it is used up, and need not stay in the history.
  history.replaceState(null, '', location.pathname)
  if (!window.opener) return
  window.opener.postMessage(message, targetOrigin)
  if (closes) window.close()
})()`

/** Without a policy of openers: it would cut the window off from the one that waits for the message. */
export const popupHeaders: Record<string, string> = {
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'content-security-policy': [
    "default-src 'none'",
    styleDirective,
    `script-src 'sha256-${hash('sha256', script, 'base64')}'`,
    "form-action 'none'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; '),
}

export function popupPage({ title, text, appName, message, targetOrigin, closes }: PopupPage): string {
  // In a block of data no reference is read: what could end the block is escaped as JSON.
  const outcome = JSON.stringify({ message, targetOrigin, closes }).replaceAll('<', '\\u003c')
  return htmlDocument(title, html`<p>${text}</p>`, {
    brand: appName,
    tail: html`<script type="application/json" id="outcome">${new Html(outcome)}</script>
<script>${new Html(script)}</script>
`,
  })
}
