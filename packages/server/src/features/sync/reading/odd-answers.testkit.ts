import { once } from 'node:events'
// biome-ignore-start lint/style/noRestrictedImports: a provider of the tests' own.
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

// biome-ignore-end lint/style/noRestrictedImports: as above.

export interface OddAnswer {
  status?: number
  headers?: Record<string, string>
  body?: string
  /** Ends the connection in the middle of the body. */
  breaksOff?: boolean
}

/** A server in front of the CRM that answers some pages in its place. */
export interface OddFront {
  url: string
  /** Cursors that lists of contacts were asked for with, in order; empty for a first page. */
  cursors: string[]
  /** Answers the page of contacts after so many good ones in the place of the CRM, so many times. */
  order(answer: OddAnswer, places: { afterPages: number; times: number }): void
  /** Answers the pages of contacts after so many not before a time. */
  hold(until: Promise<unknown>, places: { afterPages: number }): void
  close(): Promise<void>
}

export async function startOddFront(crmUrl: string, forward: typeof fetch): Promise<OddFront> {
  const cursors: string[] = []
  let ordered: { answer: OddAnswer; afterPages: number; times: number } | undefined
  let held: { until: Promise<unknown>; afterPages: number } | undefined
  let good = 0
  const server = createServer((request, response) => {
    request.resume()
    const url = new URL(request.url ?? '', crmUrl)
    const isPage = url.pathname === '/contacts' && url.searchParams.has('limit')
    const until = isPage && held && good >= held.afterPages ? held.until : undefined
    if (isPage) {
      cursors.push(url.searchParams.get('cursor') ?? '')
      if (ordered && good >= ordered.afterPages && ordered.times > 0) {
        ordered.times--
        answerOddly(response, ordered.answer)
        return
      }
      good++
    }
    const headers = { 'x-api-key': String(request.headers['x-api-key'] ?? '') }
    Promise.resolve(until)
      .then(() => forward(url, { headers }))
      .then(async (answer) => {
        response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' })
        response.end(await answer.text())
      })
      .catch((error: Error) => response.destroy(error))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cursors,
    order(answer, { afterPages, times }) {
      good = 0
      ordered = { answer, afterPages, times }
      cursors.length = 0
    },
    hold(until, { afterPages }) {
      good = 0
      held = { until, afterPages }
      cursors.length = 0
    },
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function answerOddly(response: ServerResponse, { status = 200, headers = {}, body = '', breaksOff }: OddAnswer): void {
  response.writeHead(status, { ...headers, ...(breaksOff && { 'content-length': String(body.length + 100) }) })
  if (!breaksOff) response.end(body)
  else response.write(body, () => response.destroy())
}
