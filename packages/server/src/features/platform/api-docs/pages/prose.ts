import { type Html, html } from '../../../../kernel/http/index.ts'

/** Renders a sentence of a declaration. Text between backticks becomes code. */
export function prose(text: string): Html {
  return html`${text.split(/`([^`]+)`/).map((part, at) => (at % 2 === 1 ? html`<code>${part}</code>` : part))}`
}

/** Renders a path, which a narrow page breaks before a slash rather than within a word. */
export function pathHtml(path: string): Html {
  return html`<code>${path.split(/(?=\/)/).map((part, at) => html`${at > 0 && html`<wbr>`}${part}`)}</code>`
}
