import { withoutSecrets } from '@mortise/providers'
import type { Keyring } from '../../../kernel/encryption/index.ts'
import { arrivingBody, failureOf, type RejectedRecords, type SendResult } from '../kinds/index.ts'
import { type ClaimedMessage, outgoingBody } from '../messages/index.ts'
import { answerBytesKept } from './delivery-rules.ts'
import type { OpenTarget } from './open-target.ts'

/** How an attempt ended, as it is recorded. */
export interface Attempt extends Omit<SendResult, 'response' | 'rejected'> {
  /** The beginning of the answer, as text. */
  response?: string
  durationMs: number
  /** Records that were not accepted, each with an attempt. */
  rejected?: readonly { entries: readonly number[]; attempt: Attempt }[]
}

/** Whether the destination works: it accepted the message, or refused this one for its content. */
export function isAnswered({ outcome }: Pick<Attempt, 'outcome'>): boolean {
  return outcome === 'delivered' || outcome === 'refused'
}

export type AttemptedMessage = Pick<ClaimedMessage, 'id' | 'payload' | 'hasResult' | 'kind' | 'eventType'>

/** Sends messages once, and returns how the attempt of each ended, in their order. */
export async function attemptDelivery(
  { keyring, publicUrl, now }: { keyring: Keyring; publicUrl: string; now: () => Date },
  { target, sender, secrets }: OpenTarget,
  projectId: string,
  messages: readonly AttemptedMessage[],
  signal: AbortSignal,
): Promise<Attempt[]> {
  const began = performance.now()
  const time = now()
  const batch = messages.map((message) => {
    const { id, kind, eventType, hasResult } = message
    const body = outgoingBody({ keyring, publicUrl }, projectId, message, time)
    return { id, kind, eventType, hasResult, body: arrivingBody(target, { eventType, body }) }
  })
  let results: readonly SendResult[]
  try {
    results = await sender.send(batch, { time, timeoutMs: target.kind.limits.timeoutMs, signal })
  } catch (error) {
    const result = failureOf(error)
    results = messages.map(() => result)
  }
  const durationMs = Math.round(performance.now() - began)
  const recorded = ({ response, error, ...result }: Omit<SendResult, 'rejected'>): Attempt => ({
    ...result,
    // Kinds leave secrets out. A server has a say in some of their sentences, and a client in others.
    ...(error !== undefined && { error: secrets.length === 0 ? error : withoutSecrets(error, secrets) }),
    ...(response && response.length > 0 && { response: shownText(response, secrets) }),
    durationMs,
  })
  const separate = ({ entries, ...result }: RejectedRecords) => ({ entries, attempt: recorded(result) })
  return results.map(({ rejected = [], ...result }) => ({
    ...recorded(result),
    ...(rejected.length > 0 && { rejected: rejected.map(separate) }),
  }))
}

/**
 * What is kept of an answer. Receivers echo what they were sent: the secrets of the destination are removed before it
 * is cut. The database takes no NUL in text.
 */
function shownText(body: Buffer, secrets: string[]): string {
  const safe = secrets.length === 0 ? body : Buffer.from(withoutSecrets(body.toString('utf8'), secrets))
  return safe.subarray(0, answerBytesKept).toString('utf8').replaceAll('\u0000', '\ufffd')
}
