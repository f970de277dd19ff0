import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { isIPv4 } from 'node:net'
import { UsageError } from '../usage-error.ts'

/** How an endpoint took a message. */
export type Forwarded = { status: number; durationMs: number } | { error: string; durationMs: number }

/** As long as the service waits for one. */
const answerMs = 15_000

/** Where messages are passed on to. @throws UsageError unless it is of this computer, or others are allowed */
export function forwardUrl(text: string, allowRemote: boolean): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol))
    throw new UsageError(`“${text}” is not a URL to forward to. Write http://localhost:3000/hooks.`)
  if (!allowRemote && !isLoopback(url.hostname))
    throw new UsageError(
      `${url.hostname} is another computer, and messages contain your customers’ data. Add --allow-remote to send them there.`,
    )
  return url
}

function isLoopback(hostname: string): boolean {
  const name = hostname.toLowerCase()
  return (
    name === 'localhost' || name.endsWith('.localhost') || name === '[::1]' || (isIPv4(name) && /^127\./.test(name))
  )
}

/** Posts a message with exactly these headers and this body, as the service does; redirects are not followed. */
export function forward(
  url: URL,
  message: { headers: Record<string, string>; body: string },
  signal: AbortSignal,
): Promise<Forwarded> {
  const started = performance.now()
  const durationMs = () => Math.round(performance.now() - started)
  const body = Buffer.from(message.body)
  const send = url.protocol === 'https:' ? requestHttps : requestHttp
  return new Promise((resolve) => {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(answerMs)])
    const headers = { ...message.headers, 'content-length': String(body.length) }
    const sent = send(url, { method: 'POST', headers, agent: false, signal: limit }, (answer) => {
      const status = answer.statusCode ?? 0
      // The status alone counts, as for the service; what follows it is not waited for.
      answer.destroy()
      resolve({ status, durationMs: durationMs() })
    })
    sent.on('error', (error: NodeJS.ErrnoException) => {
      const timedOut = limit.aborted && !signal.aborted
      resolve({ error: timedOut ? 'no answer in time' : (error.code ?? error.message), durationMs: durationMs() })
    })
    sent.end(body)
  })
}
