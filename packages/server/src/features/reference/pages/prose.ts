import { type Html, html } from '../../../kernel/http/index.ts'

/** A sentence of a declaration: what stands between backticks is code. */
export function prose(text: string): Html {
  return html`${text.split(/`([^`]+)`/).map((part, at) => (at % 2 === 1 ? html`<code>${part}</code>` : part))}`
}
