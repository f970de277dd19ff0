import { Readable } from 'node:stream'
import type { ProviderHttp } from '../connector.ts'

export {
  type Answer,
  type LoopbackServer as TestServer,
  type SeenRequest,
  startServer,
} from '../conformance/stand-in/http-server.ts'

/** `fetch`, handed in by the test. */
type Send = (url: string, init: RequestInit) => Promise<Response>

/**
 * Plain HTTP without any guard, for tests only.
 *
 * @param rewrite stands in for DNS: requests to the origin `from` go to the origin `to`
 */
export function plainHttp(send: Send, rewrite?: { from: string; to: string }): ProviderHttp {
  return async ({ method, url, headers, body, signal, streams }) => {
    const moved = rewrite !== undefined && url.startsWith(rewrite.from)
    const target = moved ? rewrite.to + url.slice(rewrite.from.length) : url
    const response = await send(target, {
      method,
      headers,
      redirect: 'manual',
      ...(body === undefined ? {} : { body }),
      ...(signal === undefined ? {} : { signal }),
    })
    const { status, ok } = response
    const cookies = response.headers.getSetCookie().join('\n')
    const joined = { ...Object.fromEntries(response.headers), ...(cookies !== '' && { 'set-cookie': cookies }) }
    const answer = { status, headers: joined }
    if (streams && ok && response.body !== null)
      return { ...answer, body: '', stream: Readable.fromWeb(response.body as ReadableStream<Uint8Array>) }
    return { ...answer, body: await response.text() }
  }
}
