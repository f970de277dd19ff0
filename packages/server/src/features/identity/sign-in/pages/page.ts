import { type Html, html, htmlDocument, styleDirective } from '../../../../kernel/http/index.ts'

/** A page as it is answered. */
export interface Page {
  status: 200 | 400 | 401 | 403 | 404 | 429 | 502
  text: string
  headers: Record<string, string>
}

/**
 * Puts a page around its content. Nothing is loaded from anywhere and no script runs; nobody may frame it or keep it.
 *
 * @param options.formsLeadTo an origin that a form of the page ends at by a redirect: browsers hold `form-action`
 *   against that too
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

export const pageHeaders = {
  'cache-control': 'no-store',
  // Not `no-referrer`: browsers would then send `Origin: null` with our own forms.
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin',
}

/** What went wrong, said to screen readers as soon as the page is there. */
export function alert(text: string | undefined): Html | undefined {
  return text === undefined ? undefined : html`<p class="alert" role="alert">${text}</p>`
}

/** A page that says one thing. */
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
