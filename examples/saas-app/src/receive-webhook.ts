import type { IncomingMessage, ServerResponse } from 'node:http'
import { verifyWebhook, type WebhookMessage } from '@mortise/client'
import { readBody } from './http.ts'
import type { RecordBook } from './record-book.ts'

const bodyBytesMax = 1024 * 1024

/**
 * Receives a message of Mortise: verifies its signature, stores it, and responds 204. A response other than 2xx makes
 * Mortise send it again.
 */
export async function receiveWebhook(
  request: IncomingMessage,
  response: ServerResponse,
  { secret, book, arrived }: { secret: string; book: RecordBook; arrived: (groupRef: string) => void },
): Promise<void> {
  const body = await readBody(request, bodyBytesMax)
  if (body === undefined) return void response.writeHead(413, { connection: 'close' }).end()
  let message: WebhookMessage
  try {
    message = verifyWebhook(body, request.headers, secret)
  } catch {
    return void response.writeHead(401).end()
  }
  const groupRef = book.add(String(request.headers['webhook-id']), message, await recordsOf(message))
  if (groupRef !== undefined) arrived(groupRef)
  response.writeHead(204).end()
}

/** The records stand in the message, or behind a signed link when they are too large for it. */
async function recordsOf(message: WebhookMessage): Promise<readonly unknown[]> {
  if (!('action' in message)) return []
  const { result, resultInfo } = message as { result?: unknown; resultInfo?: { type?: string; downloadUrl?: string } }
  if (resultInfo?.type !== 'url' || resultInfo.downloadUrl === undefined) return Array.isArray(result) ? result : []
  const answer = await fetch(resultInfo.downloadUrl, { signal: AbortSignal.timeout(30_000) })
  if (!answer.ok) throw new Error(`The records of a message could not be downloaded: ${answer.status}`)
  const records: unknown = await answer.json()
  return Array.isArray(records) ? records : []
}
