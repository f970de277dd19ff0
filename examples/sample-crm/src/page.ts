import { readFile } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { Html, html } from './html.ts'

export interface Page {
  readonly title: string
  readonly main: Html
  /** `narrow` for one question, `wide` for the workspace's own pages. */
  readonly width: 'narrow' | 'wide'
}

const mark = html`<svg viewBox="0 0 32 32" width="28" height="28" aria-hidden="true"><rect width="32" height="32" rx="8" fill="#4653d6"/><circle cx="16" cy="12.5" r="4.5" fill="#fff"/><path d="M7.5 25a8.5 7 0 0 1 17 0z" fill="#fff"/></svg>`

/**
 * Sends a page that runs no script. There is no `form-action` in its policy: Chromium applies it to redirects as well,
 * and a decision leads back to the application that asked.
 */
export function sendPage(response: ServerResponse, status: number, { title, main, width }: Page): void {
  const document = html`${new Html('<!doctype html>')}
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Sample CRM</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/admin/style.css">
</head>
<body class="${width}">
<header><span class="mark">${mark}</span><span class="brand">Sample CRM</span></header>
<main>${main}</main>
</body>
</html>`
  const body = Buffer.from(document.text)
  response.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'content-length': body.length,
    'content-security-policy': `default-src 'none'; style-src 'self'; img-src data:; frame-ancestors 'none'; base-uri 'none'`,
    'cache-control': 'no-store',
    'referrer-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
  })
  response.end(body)
}

export async function sendStyle(response: ServerResponse): Promise<void> {
  const style = await readFile(new URL('style.css', import.meta.url))
  response.writeHead(200, { 'content-type': 'text/css; charset=utf-8' }).end(style)
}
