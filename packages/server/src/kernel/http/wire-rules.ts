import type { IncomingMessage } from 'node:http'
import type { Problem } from './problem.ts'
import { MalformedRequest } from './problems.ts'

/**
 * Returns what is wrong with the head of a request that Node's parser accepted, when two servers on its way could read
 * it as two different requests (RFC 9112, 3.2 and 6). These are errors: more than one `Host` or none, a transfer coding
 * other than `chunked`, and a transfer coding together with `Content-Length` or in HTTP/1.0. The connection is closed.
 */
export function faultOfHead({ rawHeaders, headers, httpVersion }: IncomingMessage): Problem | undefined {
  let hosts = 0
  let codings = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string
    // Compares only names of two lengths, because this runs for every request.
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++
    else if (name.length === 17 && name.toLowerCase() === 'transfer-encoding') codings++
  }
  if (hosts > 1) return malformed('The request has more than one Host header.', 'Send one Host header.')
  if (hosts === 0 && httpVersion !== '1.0') return malformed('The request has no Host header.', 'Send a Host header.')
  if (codings === 0) return undefined
  if (headers['transfer-encoding']?.toLowerCase() !== 'chunked' || codings > 1 || httpVersion === '1.0')
    return malformed(
      'The transfer coding is not supported.',
      'Send the body with a Content-Length, or with Transfer-Encoding: chunked in HTTP/1.1.',
    )
  if (headers['content-length'] !== undefined)
    return malformed('The request has both Content-Length and Transfer-Encoding.', 'Send one of the two.')
  return undefined
}

function malformed(detail: string, remedy: string): Problem {
  return new MalformedRequest({ detail, remedy })
}
