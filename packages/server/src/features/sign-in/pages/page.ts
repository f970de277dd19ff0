import { hash } from 'node:crypto'
import { Html, html } from '../../../kernel/http/index.ts'
import { style } from './style.ts'

/** A page as it is answered. */
export interface Page {
  status: 200 | 400 | 401 | 403 | 404 | 429 | 502
  text: string
  headers: Record<string, string>
}

const styleHash = hash('sha256', style, 'base64')
/** A mortise and its tenon. */
const mark = html`<svg viewBox="0 0 24 24" aria-hidden="true"><path d="M2 3h20v7h-5v4h5v7H2v-7h5v-4H2z"/></svg>`

/**
 * Puts a page around its content. Nothing is loaded from anywhere and no script runs; nobody may frame it or keep it.
 *
 * @param options.formsLeadTo an origin that a form of the page ends at by a redirect: browsers hold `form-action` against that too
 */
export function page(
  title: string,
  content: Html,
  options: { status?: Page['status']; formsLeadTo?: string } = {},
): Page {
  const { status = 200, formsLeadTo } = options
  const document = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title} · Mortise</title>
<style>${new Html(style)}</style>
</head>
<body>
<div class="brand">${mark}<span>Mortise</span></div>
<main>
<h1>${title}</h1>
${content}
</main>
</body>
</html>
`
  return {
    status,
    text: document.text,
    headers: {
      ...pageHeaders,
      'content-security-policy': [
        "default-src 'none'",
        `style-src 'sha256-${styleHash}'`,
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
