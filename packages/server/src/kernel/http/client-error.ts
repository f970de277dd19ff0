import type { Socket } from 'node:net'
import type { Problem } from './problem.ts'
import { HeadersTooLarge, MalformedRequest, RequestTooSlow } from './problems.ts'

/** Answers, on the bare socket, what the HTTP parser refused before there was a request; then closes it. */
export function answerClientError(
  error: { code?: string },
  socket: Socket,
  documentOf: (problem: Problem) => { requestId: string; document: Record<string, unknown> },
): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const problem = problemOf(error.code)
  const { requestId, document } = documentOf(problem)
  const body = JSON.stringify(document)
  socket.end(
    [
      `HTTP/1.1 ${problem.declaration.status} ${problem.declaration.title}`,
      'Content-Type: application/problem+json',
      `Content-Length: ${Buffer.byteLength(body)}`,
      `X-Request-Id: ${requestId}`,
      'Connection: close',
      '',
      body,
    ].join('\r\n'),
  )
}

function problemOf(code: string | undefined): Problem {
  if (code === 'HPE_HEADER_OVERFLOW') return new HeadersTooLarge()
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new RequestTooSlow()
  return new MalformedRequest()
}
