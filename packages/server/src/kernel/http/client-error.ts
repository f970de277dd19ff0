import type { ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Problem } from './problem.ts'
import { HeadersTooLarge, MalformedRequest, RequestTooSlow } from './problems.ts'

export interface WrittenProblem {
  requestId: string
  document: Record<string, unknown>
}

/** Writes problems where there is no request that the framework could answer. */
export interface ClientErrors {
  /** Answers what the HTTP parser refused before there was a request; then closes the connection. */
  parser(error: { code?: string }, socket: Duplex): void
  /** Answers on a bare socket; then closes the connection. */
  socket(problem: Problem, socket: Duplex): void
  /** Answers a request that the framework must not see; then closes the connection. */
  request(problem: Problem, response: ServerResponse): void
}

export function createClientErrors(
  write: (problem: Problem) => WrittenProblem,
  safeHeaders: [name: string, value: string][],
): ClientErrors {
  function answerOf(problem: Problem) {
    const { requestId, document } = write(problem)
    const body = JSON.stringify(document)
    const headers: [string, string][] = [
      ['content-type', 'application/problem+json'],
      ['content-length', `${Buffer.byteLength(body)}`],
      ['x-request-id', requestId],
      ['access-control-allow-origin', '*'],
      ...safeHeaders,
      ['connection', 'close'],
    ]
    return { status: problem.declaration.status, title: problem.declaration.title, headers, body }
  }

  function answerSocket(problem: Problem, socket: Duplex): void {
    if (!socket.writable || hasBegun(socket)) {
      socket.destroy()
      return
    }
    const { status, title, headers, body } = answerOf(problem)
    const lines = headers.map(([name, value]) => `${name}: ${value}`)
    socket.end([`HTTP/1.1 ${status} ${title}`, ...lines, '', body].join('\r\n'))
  }

  return {
    parser(error, socket) {
      if (error.code === 'ECONNRESET') socket.destroy()
      else answerSocket(problemOf(error.code), socket)
    },
    socket: answerSocket,
    request(problem, response) {
      const { status, headers, body } = answerOf(problem)
      response.writeHead(status, headers.flat())
      response.end(body)
    },
  }
}

/**
 * An answer that is on its way cannot be followed by another one: its reader would take that for a part of the first.
 */
function hasBegun(socket: Duplex): boolean {
  const { _httpMessage: answering } = socket as { _httpMessage?: ServerResponse | null }
  return answering?.headersSent === true
}

function problemOf(code: string | undefined): Problem {
  if (code === 'HPE_HEADER_OVERFLOW') return new HeadersTooLarge()
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new RequestTooSlow()
  return new MalformedRequest()
}
