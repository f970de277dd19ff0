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

/** What must never be read in an answer: traces, sources and places of ours, the database's own words, code's own words. */
const innards = [
  /\n\s+at /,
  /\.[cm]?[jt]s:\d/,
  /node_modules|node:internal|file:\/\/\//,
  /\b(select|insert into|delete from|update) [\w."]+ (from|set|where|values|\()/i,
  /violates|syntax error at|invalid input syntax|invalid byte sequence|relation "|SQLSTATE|pg_catalog/,
  /Cannot read propert|is not a function|is not iterable|is not defined|\[object Object\]|TypeError|RangeError/,
]

/** Holds that an answer is a whole problem document (RFC 9457) that says nothing of how the service is made. Answers it. */
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
