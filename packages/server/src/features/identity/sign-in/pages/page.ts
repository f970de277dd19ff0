import { type Html, html, htmlDocument, pageHeaders, styleDirective } from '../../../../kernel/http/index.ts'

/** A rendered page with its status and headers. */
export interface Page {
  status: 200 | 400 | 401 | 403 | 404 | 429 | 502
  text: string
  headers: Record<string, string>
}

/**
 * Renders a page around its content. It runs no scripts, loads nothing, and must not be framed or cached.
 *
 * @param options.formsLeadTo an origin that a form of the page redirects to: browsers apply `form-action` to redirects,
 *   too
 */
export function page(
  title: string,
  content: Html,
  options: { status?: Page['status']; formsLeadTo?: string } = {},
): Page {
  const { status = 200, formsLeadTo } = options
  return {
    status,
    text: htmlDocument(title, content),
    headers: {
      ...pageHeaders,
      'content-security-policy': [
        "default-src 'none'",
        styleDirective,
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
