import type { Issue } from '../../../kernel/http/index.ts'

/**
 * Returns the issues of the page that signs people in for MCP clients. Browsers are redirected to it, so that it needs
 * TLS, except on this computer. An empty text removes it.
 */
export function agentSignInUrlIssues(text: string, at: string): Issue[] {
  if (text === '' || isPage(text)) return []
  const detail = `${at} must be an https URL without user and fragment; http only for localhost.`
  return [{ in: 'body', name: at, value: text, detail }]
}

function isPage(text: string): boolean {
  const url = URL.parse(text)
  if (!url || text.includes('#') || url.username !== '' || url.password !== '') return false
  const isLocal = /^(localhost|127\.0\.0\.1|\[::1\])$/.test(url.hostname)
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLocal)
}
