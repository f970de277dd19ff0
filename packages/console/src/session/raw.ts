import { token } from './session.ts'

/**
 * Requests that the typed client does not know: any endpoint with any input, and the proxy. They carry the same token,
 * which no caller of this module sees.
 */

export interface RawRequest {
  method: string
  /** Path and query, on this service only. */
  path: string
  headers?: Record<string, string>
  body?: string | undefined
}

export interface RawAnswer {
  status: number
  statusText: string
  /** Until the headers came. */
  ms: number
  headers: [name: string, value: string][]
  text: string
  /** The body is longer, or does not end: the rest was not read. */
  isCut: boolean
}

/** More than a page can show. */
const textBytesMax = 2_000_000

/**
 * Sends a request, and reads its answer whatever its status. When `signal` aborts while the body is read, answers what
 * came until then.
 *
 * @throws TypeError when no answer comes
 */
export async function rawRequest(
  { method, path, headers = {}, body }: RawRequest,
  signal?: AbortSignal,
): Promise<RawAnswer> {
  if (!path.startsWith('/') || path.startsWith('//')) throw new TypeError('A path begins with one slash.')
  const bearer = await token()
  const begun = performance.now()
  const answer = await fetch(window.location.origin + path, {
    method,
    headers: { ...headers, authorization: `Bearer ${bearer.accessToken}` },
    // Cookies are for the session alone.
    credentials: 'omit',
    // A redirect is an answer like any other: the reader follows it, not the browser.
    redirect: 'manual',
    ...(body !== undefined && { body }),
    ...(signal && { signal }),
  })
  const ms = performance.now() - begun
  return {
    status: answer.status,
    statusText: answer.statusText,
    ms,
    headers: [...answer.headers],
    ...(await readSome(answer)),
  }
}

async function readSome(answer: Response): Promise<{ text: string; isCut: boolean }> {
  const reader = answer.body?.getReader()
  const decoder = new TextDecoder()
  let text = ''
  try {
    for (let bytes = 0; reader; ) {
      const { done, value } = await reader.read()
      if (done) break
      text += decoder.decode(value, { stream: true })
      bytes += value.byteLength
      if (bytes < textBytesMax) continue
      await reader.cancel()
      return { text, isCut: true }
    }
  } catch {
    // Stopped by the reader, or broken off.
    return { text, isCut: true }
  }
  return { text: text + decoder.decode(), isCut: false }
}
