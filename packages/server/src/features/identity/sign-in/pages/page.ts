import { hash } from 'node:crypto'
import { Html, html, htmlDocument, jsonBlock, pageHeaders, styleDirective } from '../../../../kernel/http/index.ts'

/** A rendered page with its status and headers. */
export interface Page {
  status: 200 | 400 | 401 | 403 | 404 | 429 | 502
  text: string
  headers: Record<string, string>
}

/**
 * Renders a page around its content. It runs no other script than the given one, loads nothing, and must not be framed
 * or cached.
 *
 * @param options.script a constant script, and its data as JSON
 * @param options.formsLeadTo an origin that a form of the page redirects to: browsers apply `form-action` to redirects,
 *   too
 */
export function page(
  title: string,
  content: Html,
  options: { status?: Page['status']; formsLeadTo?: string; script?: { text: string; data: object } } = {},
): Page {
  const { status = 200, formsLeadTo, script } = options
  const tail =
    script &&
    html`${jsonBlock('data', JSON.stringify(script.data))}
<script>${new Html(script.text)}</script>
`
  return {
    status,
    text: htmlDocument(title, content, tail ? { tail } : {}),
    headers: {
      ...pageHeaders,
      'content-security-policy': [
        "default-src 'none'",
        styleDirective,
        ...(script ? [`script-src 'sha256-${hash('sha256', script.text, 'base64')}'`] : []),
        `form-action 'self'${formsLeadTo ? ` ${formsLeadTo}` : ''}`,
        "frame-ancestors 'none'",
        "base-uri 'none'",
      ].join('; '),
    },
  }
}

/** Renders an error, which screen readers announce as soon as the page opens. */
export function alert(text: string | undefined): Html | undefined {
  return text === undefined ? undefined : html`<p class="alert" role="alert">${text}</p>`
}

/** Renders a page with one message. */
export function messagePage(
  title: string,
  text: string,
  options: { status?: Page['status']; link?: { href: string; text: string } } = {},
): Page {
  const { status, link } = options
  return page(
    title,
    html`<p>${text}</p>${link && html`<a class="button" href="${link.href}">${link.text}</a>`}`,
    status === undefined ? {} : { status },
  )
}
