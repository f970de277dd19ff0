import type { Exchange } from './cases.ts'
import type { TestApp } from './test-app.ts'

/**
 * Reads an event stream until its first event. Calls `cause` once the stream is open.
 *
 * @param path below `/v1`
 */
export async function followStream(
  app: TestApp,
  path: string,
  cause?: () => Promise<unknown>,
  more: Record<string, string> = {},
): Promise<Exchange> {
  const url = new URL(`${app.url}/v1${path}`)
  const closing = new AbortController()
  const sent = { 'x-api-key': app.apiKey, ...more }
  const { status, headers, body } = await fetch(url, { headers: sent, signal: closing.signal })
  await cause?.()
  let text = ''
  const decoder = new TextDecoder()
  if (body)
    for await (const part of body) {
      text += decoder.decode(part, { stream: true })
      if (/^data:.*\n\n/ms.test(text)) break
    }
  closing.abort()
  return { query: Object.fromEntries(url.searchParams), answer: { status, headers, text } }
}
