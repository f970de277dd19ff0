import type { Readable } from 'node:stream'
import { withoutSecrets } from '@mortise/providers'
import { OutboundError } from '../../../kernel/net/index.ts'
import type { SenderServices, SendOptions, SendResult } from './kind.ts'
import { isStreamed, type SizedBody, sendStreamed } from './streamed-body.ts'
import { readRetryAfterMs } from './webhook/retry-after.ts'

export interface HttpCall {
  method?: 'POST' | 'PUT' | 'GET' | 'DELETE'
  url: URL
  headers: Record<string, string>
  body?: Buffer | string | SizedBody
}

export interface HttpAnswer {
  status: number
  headers: Record<string, string>
  body: Buffer
  /** Whether it was too large: the body is its beginning. */
  truncated?: boolean
}

/** Answers say what happened to up to some hundred messages. */
const answerBytesMax = 2 ** 20

/**
 * Makes the calls of one `send`, all within its one deadline. What authorizes a call is removed from its answer: a
 * token of it would give access to a reader of the attempt.
 */
export function createCalls(
  { outbound, project }: Pick<SenderServices, 'outbound' | 'project'>,
  { timeoutMs, signal }: Pick<SendOptions, 'timeoutMs' | 'signal'>,
): (call: HttpCall) => Promise<HttpAnswer> {
  const deadline = performance.now() + timeoutMs
  const request = async (
    { method = 'POST', url }: HttpCall,
    headers: Record<string, string>,
    body: Buffer | string | Readable | undefined,
  ) => {
    const leftMs = deadline - performance.now()
    if (leftMs <= 0) throw new OutboundError('timeout', `${url.host} did not answer in time.`)
    const answer = await outbound.request({
      method,
      url,
      headers,
      ...(body !== undefined && { body }),
      timeoutMs: Math.ceil(leftMs),
      maxBytes: answerBytesMax,
      tooLarge: 'truncate',
      signal,
      project,
    })
    const { authorization } = headers
    if (authorization === undefined) return answer
    return { ...answer, body: withoutCredential(answer.body, authorization.slice(authorization.indexOf(' ') + 1)) }
  }
  return async (call) => {
    const { headers, body } = call
    if (!isStreamed(body)) return request(call, headers, body)
    return sendStreamed(body, (stream) => request(call, { ...headers, 'content-length': String(body.bytes) }, stream))
  }
}

/** Removes a credential from an answer, in any spelling. */
export function withoutCredential(body: Buffer, credential: string): Buffer {
  const text = body.toString()
  const safe = withoutSecrets(text, [credential])
  return safe === text ? body : Buffer.from(safe)
}

/**
 * What an answer without a receipt means for a message.
 *
 * @param reason what went wrong, in a sentence; by default, the status
 */
export function notDelivered(url: URL, { status, headers, body }: HttpAnswer, time: Date, reason?: string): SendResult {
  const retryAfterMs = readRetryAfterMs(headers['retry-after'], time)
  return {
    outcome: status === 413 ? 'refused' : 'retry',
    status,
    error: reason ?? `${url.host} answered ${status}.`,
    response: body,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  }
}

/** Parses the body of an answer. Undefined if it is not a JSON object. */
export function jsonOf({ body }: Pick<HttpAnswer, 'body'>): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(body.toString())
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined
  } catch {
    return undefined
  }
}

/** Finds the code of an error in XML, as stores of objects answer it. */
export function xmlCode({ body }: Pick<HttpAnswer, 'body'>): string | undefined {
  return /<Code>([A-Z][A-Za-z.]{2,80})<\/Code>/.exec(body.subarray(0, 4_096).toString())?.[1]
}
