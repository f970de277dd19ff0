import { pathNames } from '../interpreter/path.ts'
import { type Answer, type SeenRequest, startServer, type TestServer } from '../testing/http-server.testkit.ts'

import { secretOf } from './sample-credentials.ts'

/** A provider that answers with a given status, and says in its answer all that it was sent. */
export interface EchoServer extends TestServer {
  /** @param messagePaths where else than usual the provider puts its words */
  answerWith(status: number, messagePaths?: readonly string[]): void
}

/** What a token endpoint answers; to any other request it is as good as anything. */
const goodAnswer = { access_token: secretOf('minted-token'), token_type: 'Bearer', expires_in: 3600 }

export async function startEchoServer(): Promise<EchoServer> {
  let status = 200
  let paths: readonly string[] = []
  const server = await startServer((request) =>
    status === 200 ? { body: goodAnswer } : refusal(status, paths, request),
  )
  return Object.assign(server, {
    answerWith(next: number, messagePaths: readonly string[] = []) {
      status = next
      paths = messagePaths
    },
  })
}

/** Some providers answer with JSON, others with a text; both repeat what they do not like. */
function refusal(status: number, paths: readonly string[], request: SeenRequest): Answer {
  const words = wordsOf(request)
  const headers = { 'retry-after': '7', 'x-echo': encodeURIComponent(words).slice(0, 4000) }
  if (status === 403) return { status, headers, body: words }
  const body: Record<string, unknown> = { message: words, error_description: words, detail: words, title: words }
  for (const path of paths) put(body, pathNames(path) ?? [], words)
  return { status, headers, body }
}

/** The request in its own words and in those that servers turn them into. */
function wordsOf({ url, headers, body }: SeenRequest): string {
  const values = [...Object.values(headers), ...url.searchParams.values(), url.href]
  const halves = values.flatMap((value) => {
    const [scheme, token] = value.split(' ')
    return scheme === 'Basic' && token !== undefined
      ? Buffer.from(token, 'base64').toString().split(':')
      : (token ?? [])
  })
  return `Not accepted: ${body} ${[...values, ...halves]
    .flatMap((value) => [
      value,
      encodeURIComponent(value),
      Buffer.from(value).toString('base64'),
      Buffer.from(value).toString('hex'),
    ])
    .join(' ')}`
}

function put(body: Record<string, unknown>, names: readonly string[], value: string): void {
  const [first, ...rest] = names
  if (first === undefined) return
  if (rest.length === 0) {
    body[first] = value
    return
  }
  const inner = body[first]
  const next = typeof inner === 'object' && inner !== null ? (inner as Record<string, unknown>) : {}
  body[first] = next
  put(next, rest, value)
}
