import { hash } from 'node:crypto'
import { Html, html, htmlDocument, styleDirective } from '../../../kernel/http/index.ts'

/** A page in a window that an application opened: its text for people, and its message to the application. */
export interface PopupPage {
  title: string
  text: string
  /** The application that the account is connected to, if known. */
  appName?: string | undefined
  /**
   * Message to the window that opened this one. The page posts nothing else, because existing clients close the popup
   * on any message.
   */
  message: object
  /** The origin that may read the message; `*` if it is unknown and the message is public. */
  targetOrigin: string
  /** Whether the window closes after it has notified its opener. Without an opener it stays open. */
  closes: boolean
}

/** Reads its data from a data block, so that the script never changes and the policy can allow it by its hash. */
const script = `(() => {
  const { message, targetOrigin, closes } = JSON.parse(document.getElementById('outcome').textContent)
  // The address holds what the provider sent back: it is used up, and need not stay in the history.
  history.replaceState(null, '', location.pathname)
  if (!window.opener) return
  window.opener.postMessage(message, targetOrigin)
  if (closes) window.close()
})()`

/** Sets no opener policy: it would disconnect the window from the one that waits for the message. */
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
  // A data block does not decode character references, so what could end the block is escaped as JSON.
  const outcome = JSON.stringify({ message, targetOrigin, closes }).replaceAll('<', '\\u003c')
  return htmlDocument(title, html`<p>${text}</p>`, {
    brand: appName,
    tail: html`<script type="application/json" id="outcome">${new Html(outcome)}</script>
<script>${new Html(script)}</script>
`,
  })
}
