import type { TestApp } from '../../packages/server/src/testkit/test-app.ts'
import type { Sent } from './rows.testkit.ts'

/** Follows a stream of events until its first event, which `cause` brings about once the stream is open. */
export async function follow(app: TestApp, path: string, cause?: () => Promise<unknown>): Promise<Sent> {
  const url = new URL(`${app.url}/v1${path}`)
  const gone = new AbortController()
  const { status, headers, body } = await fetch(url, { headers: { 'x-api-key': app.apiKey }, signal: gone.signal })
  await cause?.()
  let text = ''
  const decoder = new TextDecoder()
  for await (const part of body as unknown as AsyncIterable<Uint8Array>) {
    text += decoder.decode(part, { stream: true })
    if (/^data:.*\n\n/ms.test(text)) break
  }
  gone.abort()
  return { query: Object.fromEntries(url.searchParams), answer: { status, headers, text } }
}
