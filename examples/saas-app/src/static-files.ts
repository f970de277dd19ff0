import { readFile } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'

const types: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
}

const pages: Readonly<Record<string, string>> = {
  '/': 'contacts.html',
  '/integrations': 'integrations.html',
  '/messages': 'messages.html',
  '/react': 'react.html',
  '/vue': 'vue.html',
}

/**
 * Sends a page or a file of `public`. `{{mortiseUrl}}` in a page is the address of Mortise. Answers false if there is
 * no such file.
 */
export async function sendFile(response: ServerResponse, path: string, mortiseUrl: string): Promise<boolean> {
  const name = Object.hasOwn(pages, path) ? pages[path] : /^\/([a-z-]+\.(?:css|js|svg))$/.exec(path)?.[1]
  if (name === undefined) return false
  const file = await readFile(new URL(`../public/${name}`, import.meta.url), 'utf8').catch(() => undefined)
  if (file === undefined) return false
  const type = types[name.split('.').at(-1) ?? ''] ?? 'application/octet-stream'
  response.writeHead(200, { 'content-type': type, 'cache-control': 'no-cache', ...securityHeaders(mortiseUrl) })
  response.end(name.endsWith('.html') ? file.replaceAll('{{mortiseUrl}}', mortiseUrl) : file)
  return true
}

/** What the components need of a strict policy: their script and their requests. A frame is needed for its tab only. */
function securityHeaders(mortiseUrl: string): Record<string, string> {
  return {
    'content-security-policy': [
      "default-src 'none'",
      `script-src 'self' ${mortiseUrl}`,
      "style-src 'self'",
      `connect-src 'self' ${mortiseUrl}`,
      "img-src 'self' https: data:",
      `frame-src ${mortiseUrl}`,
      "base-uri 'none'",
      "form-action 'self'",
      "frame-ancestors 'none'",
    ].join('; '),
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'same-origin',
  }
}
