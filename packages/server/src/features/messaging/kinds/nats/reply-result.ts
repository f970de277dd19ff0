import { jsonOf } from '../http-calls.ts'
import type { SendResult } from '../kind.ts'
import type { NatsConnection, Publication, Reply } from './nats-connection.ts'

/** Codes of JetStream for a message that its stream, as it is configured, never takes: it is too large. */
const tooLargeCode = 10_054

/**
 * What a reply says about a message. Only the sequence number in a stream delivers it.
 *
 * @param context.shown host and port
 */
export function resultOf(
  reply: Reply,
  { subject }: Pick<Publication, 'subject'>,
  { shown, connection }: { shown: string; connection: Pick<NatsConnection, 'errors' | 'ended' | 'greeting'> },
): SendResult {
  if (reply === undefined) return unanswered(subject, shown, connection)
  const { status, content } = reply
  if (status.startsWith('503')) {
    const error = connection.greeting.hasJetStream
      ? `No stream takes the subject ${subject}. Create a stream for it, or correct its subjects.`
      : `${shown} has no JetStream.`
    return { outcome: 'retry', error }
  }
  const { stream, seq, error } = jsonOf({ body: content }) ?? {}
  if (typeof error === 'object' && error !== null) return refusalOf(error, { subject, shown, content })
  if (typeof stream === 'string' && Number.isSafeInteger(seq) && Number(seq) > 0)
    return { outcome: 'delivered', response: content }
  return { outcome: 'retry', error: `${shown} did not confirm the message.`, response: content }
}

function refusalOf(
  error: object,
  { subject, shown, content }: { subject: string; shown: string; content: Buffer },
): SendResult {
  const [code, status] = [Reflect.get(error, 'err_code'), Reflect.get(error, 'code')]
  const text = `The stream of ${subject} at ${shown}`
  if (code === tooLargeCode)
    return { outcome: 'refused', error: `${text} does not accept messages of this size.`, response: content }
  const shownCode = Number.isSafeInteger(code) ? code : Number.isSafeInteger(status) ? status : 'unknown'
  return { outcome: 'retry', error: `${text} refused the message (error ${shownCode}).`, response: content }
}

function unanswered(subject: string, shown: string, connection: Pick<NatsConnection, 'errors' | 'ended'>): SendResult {
  const ofSubject = connection.errors().find((text) => text.includes(`"${subject}"`))
  if (ofSubject !== undefined) {
    const error = `${shown} does not permit this user to publish to ${subject}.`
    return { outcome: 'retry', error, response: Buffer.from(ofSubject) }
  }
  const ended = connection.ended()
  const said = connection.errors().at(-1)
  return {
    outcome: ended?.kind === 'aborted' ? 'cancelled' : 'retry',
    error:
      said === undefined ? (ended?.message ?? `${shown} closed the connection.`) : `${shown} answered with an error.`,
    ...(said !== undefined && { response: Buffer.from(said) }),
  }
}

/** What it means that the server refused the login. */
export function loginRefusal(text: string, shown: string): SendResult {
  const reason = /^permissions violation for subscription/i.test(text)
    ? 'does not permit this user to subscribe to _INBOX.>, where the stream confirms messages'
    : /authorization|authentication|user/i.test(text)
      ? 'refused the credentials'
      : 'refused the connection'
  return { outcome: 'retry', error: `${shown} ${reason}.`, response: Buffer.from(text) }
}
