import { expect } from 'vitest'

export interface Answer {
  status: number
  headers: Record<string, string | string[] | undefined>
  text: string
}

export interface ProblemBody {
  type: string
  href: string
  title: string
  status: number
  detail: string
  instance: string
  time: string
  requestId: string
  retryable: boolean
  remedy?: string
  context: { code: string }
  issues?: { in: string; name: string; detail: string; remedy?: string; value?: unknown; context?: object }[]
}

/**
 * What must never be read in an answer: traces, sources and places of ours, the database's own words, code's own words.
 */
const innards = [
  /\n\s+at /,
  /\.[cm]?[jt]s:\d/,
  /node_modules|node:internal|file:\/\/\//,
  /\b(select|insert into|delete from|update) [\w."]+ (from|set|where|values|\()/i,
  /violates|syntax error at|invalid input syntax|invalid byte sequence|relation "|SQLSTATE|pg_catalog/,
  /Cannot read propert|is not a function|is not iterable|is not defined|\[object Object\]|TypeError|RangeError/,
]

/**
 * Holds that an answer is a whole problem document (RFC 9457) that says nothing of how the service is made. Answers it.
 */
export function expectProblem(answer: Answer, secrets: string[] = []): ProblemBody {
  expect(answer.headers['content-type']).toMatch(/^application\/problem\+json/)
  const body = JSON.parse(answer.text) as ProblemBody
  expect(body).toMatchObject({
    type: 'about:blank',
    status: answer.status,
    title: expect.stringMatching(/\S/),
    detail: expect.stringMatching(/\S/),
    requestId: answer.headers['x-request-id'],
    instance: `urn:uuid:${body.requestId}`,
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    retryable: expect.any(Boolean),
    href: expect.stringMatching(new RegExp(`^https?://[^/]+/problems/${body.context.code}$`)),
    context: { code: expect.stringMatching(/^[a-z]+(-[a-z]+)*$/) },
  })
  expect(body.remedy ?? body.issues?.[0]?.remedy ?? body.issues?.[0]?.detail, 'says what to do').toMatch(/\S/)
  for (const pattern of innards) expect(answer.text).not.toMatch(pattern)
  for (const secret of secrets) expect(answer.text.includes(secret), 'a secret in a problem').toBe(false)
  return body
}

/** Holds the same of whatever an operation refuses with; pages for people may say it as a page. */
export function expectRefusal(
  answer: Answer,
  { declaration }: { declaration: { produces?: string; plainBadRequests?: boolean; reply?: Record<number, unknown> } },
  secrets: string[] = [],
): void {
  const isOwnForm = declaration.reply?.[answer.status] !== undefined
  if (isOwnForm && /^application\/json/.test(String(answer.headers['content-type']))) {
    // The form that OAuth and JSON-RPC want.
    expect(JSON.parse(answer.text)).toMatchObject({ error: expect.anything() })
    for (const pattern of innards) expect(answer.text).not.toMatch(pattern)
    for (const secret of secrets) expect(answer.text.includes(secret), 'a secret in an error').toBe(false)
    return
  }
  if (declaration.plainBadRequests && /^text\/plain/.test(String(answer.headers['content-type']))) {
    expect(answer.status).toBe(400)
    expect(answer.text).toMatch(/\S/)
    for (const pattern of innards) expect(answer.text).not.toMatch(pattern)
    for (const secret of secrets) expect(answer.text.includes(secret), 'a secret in a text').toBe(false)
    return
  }
  if (!declaration.produces?.startsWith('text/html') || !/^text\/html/.test(String(answer.headers['content-type']))) {
    expectProblem(answer, secrets)
    return
  }
  expect(answer.text).toMatch(/<h1>.+<\/h1>/)
  for (const pattern of innards) expect(answer.text).not.toMatch(pattern)
  for (const secret of secrets) expect(answer.text.includes(secret), 'a secret on a page').toBe(false)
}

/** The text of an answer; of a stream of events, which has no end, nothing: it is closed. */
export async function textOf(answer: Response): Promise<string> {
  if (!answer.headers.get('content-type')?.startsWith('text/event-stream')) return answer.text()
  await answer.body?.cancel()
  return ''
}
