import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { type Client, verifyWebhook, type WebhookMessage } from '@mortise/client'
import { forward } from '../listening/forward.ts'
import { pluralize } from '../pluralize.ts'
import type { PrintLine } from './print-line.ts'

/** What destinations made by `mortise dev` have in their URL. */
const path = '/mortise-dev/'

/** The endpoint behind the destinations of `mortise dev`. */
export interface Receiver {
  /** Where the messages of a destination are posted to. */
  urlOf(destination: string): string
  /** Whether a destination was made by `mortise dev`, on whatever port. */
  isOurs(url: string | undefined): boolean
  close(): Promise<void>
}

/**
 * Verifies what is delivered, says so in a line, and passes it on: the answer of the endpoint behind becomes its own,
 * so that what that one refuses is tried again by the service.
 */
export function startReceiver(options: {
  port: number
  mortise: Client
  to: URL | undefined
  signal: AbortSignal
  printLine: PrintLine
}): Promise<Receiver> {
  const { port, mortise, to, signal, printLine } = options
  const secrets = new Map<string, string>()
  const secretOf = async (destination: string) => {
    const known = secrets.get(destination)
    if (known !== undefined) return known
    const found = await mortise.getDestination({ destination, query: { includeSecrets: true } }, { signal })
    const secret = found.secrets?.webhookSigningKey ?? ''
    secrets.set(destination, secret)
    return secret
  }
  const receive = async (request: IncomingMessage): Promise<number> => {
    if (request.method !== 'POST' || !request.url?.startsWith(path)) return 404
    const destination = decodeURIComponent(request.url.slice(path.length))
    const body = await buffer(request)
    let message: WebhookMessage
    try {
      message = verifyWebhook(body, request.headers, await secretOf(destination))
    } catch (error) {
      secrets.delete(destination)
      printLine('messages', `${destination}: refused, its signature is not valid (${(error as Error).message})`)
      return 401
    }
    printLine('messages', `${destination}: ${contents(message)}, ${body.length} bytes`)
    if (!to) return 200
    const answer = await forward(to, { headers: passedOn(request), body: body.toString('utf8') }, signal)
    printLine(
      'messages',
      `  → ${to.href}: ${'status' in answer ? answer.status : answer.error} in ${answer.durationMs} ms`,
    )
    return 'status' in answer ? answer.status : 502
  }
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    receive(request).then(
      (status) => response.writeHead(status).end(),
      () => response.writeHead(500).end(),
    )
  })
  const base = `http://127.0.0.1:${port}${path}`
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', () =>
      resolve({
        urlOf: (destination) => `${base}${encodeURIComponent(destination)}`,
        isOurs: (url) => url !== undefined && /^http:\/\/127\.0\.0\.1:\d+\/mortise-dev\//.test(url),
        close: () =>
          new Promise((closed) => {
            server.close(() => closed())
            server.closeAllConnections()
          }),
      }),
    )
  })
}

function contents(message: WebhookMessage): string {
  if ('notificationType' in message) return String(message.notificationType)
  const { action, objectName, result } = message as { action: string; objectName?: unknown; result?: unknown }
  const records = Array.isArray(result) ? `, ${pluralize(result.length, 'record')}` : ''
  return `${action}${typeof objectName === 'string' ? ` of ${objectName}` : ''}${records}`
}

function passedOn({ headers }: IncomingMessage): Record<string, string> {
  const { host: _, connection: __, 'content-length': ___, 'transfer-encoding': ____, ...rest } = headers
  return Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, String(value)]))
}
