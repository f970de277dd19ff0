import { type Html, html } from '../../../../kernel/http/index.ts'

/** Links to a page of a provider. The URL is from a provider file: what is not http(s) stays text. */
export function externalLink(url: string, text: string): Html {
  const scheme = URL.parse(url)?.protocol
  if (scheme !== 'https:' && scheme !== 'http:') return html`<code>${url}</code>`
  return html`<a href="${url}" rel="noreferrer">${text}</a>`
}
