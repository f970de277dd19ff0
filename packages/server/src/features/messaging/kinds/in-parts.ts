import { failureOf } from './failure-of.ts'
import type { OutgoingMessage, SendResult } from './kind.ts'

export interface Sized {
  message: OutgoingMessage
  bytes: number
}

/** Splits messages into parts with at most some bytes and messages each. A message that exceeds the bytes is a part. */
export function partsOf<M extends Pick<Sized, 'bytes'>>(
  messages: readonly M[],
  { bytesMax, countMax }: { bytesMax: number; countMax: number },
): M[][] {
  const parts: M[][] = []
  let bytes = 0
  for (const one of messages) {
    const part = parts.at(-1)
    if (part && part.length < countMax && bytes + one.bytes <= bytesMax) {
      part.push(one)
      bytes += one.bytes
    } else {
      parts.push([one])
      bytes = one.bytes
    }
  }
  return parts
}

/**
 * Sends parts one after the other, and returns the results of all messages in their order. An error that ends the first
 * part ends the call. A later one settles what was not sent, and keeps what the parts before it delivered.
 *
 * @throws OutboundError
 */
export async function inParts<M>(
  parts: readonly (readonly M[])[],
  send: (part: readonly M[]) => Promise<readonly SendResult[]>,
): Promise<SendResult[]> {
  const results: SendResult[] = []
  for (const [index, part] of parts.entries()) {
    try {
      results.push(...(await send(part)))
    } catch (error) {
      if (index === 0) throw error
      const failure = failureOf(error)
      results.push(...parts.slice(index).flatMap((rest) => rest.map(() => failure)))
      break
    }
  }
  return results
}

/**
 * Sends messages that have the same key together, in their order, and returns the results of all messages in the order
 * that they were given in. Errors are as in `inParts`.
 */
export async function inGroups<M extends Sized>(
  messages: readonly M[],
  keyOf: (message: M) => string | undefined,
  limits: { bytesMax: number; countMax: number },
  send: (part: readonly M[]) => Promise<readonly SendResult[]>,
): Promise<SendResult[]> {
  const parts = [...Map.groupBy(messages, keyOf).values()].flatMap((group) => partsOf(group, limits))
  const results = await inParts(parts, send)
  const byMessage = new Map(parts.flat().map((message, at) => [message, results[at]]))
  return messages.map((message) => byMessage.get(message) ?? { outcome: 'retry' })
}

/** What became of messages that a service accepts or refuses together. */
export interface Together {
  result: SendResult
  /** Whether one of the messages may be the reason, so that the others would be accepted without it. */
  isOfData: boolean
}

/** Maximum number of calls of one `sendTogether`: enough to find several bad messages, and few when all are bad. */
const callsMax = 64

/**
 * Sends messages that a service accepts or refuses together. While they are refused for their data, sends each half
 * apart, so that a bad message fails alone. After some calls, what is left fails together. A message that fails alone,
 * while the service accepts another, is refused: the reason is not the table or the queue.
 *
 * @throws OutboundError if the first call ends with one; a later one settles what was not sent
 */
export async function sendTogether<M>(
  messages: readonly M[],
  send: (part: readonly M[]) => Promise<Together>,
): Promise<SendResult[]> {
  let calls = 0
  const alone = new Set<SendResult>()
  const halve = async (part: readonly M[]): Promise<SendResult[]> => {
    calls++
    const { result, isOfData } = await send(part)
    if (isOfData && part.length === 1) alone.add(result)
    if (!isOfData || part.length === 1 || calls >= callsMax) return part.map(() => result)
    const middle = Math.ceil(part.length / 2)
    const results: SendResult[] = []
    for (const half of [part.slice(0, middle), part.slice(middle)]) results.push(...(await settled(half)))
    return results
  }
  const settled = async (part: readonly M[]) => {
    try {
      return await halve(part)
    } catch (error) {
      const failure = failureOf(error)
      return part.map(() => failure)
    }
  }
  return refusedBeside(await halve(messages), (result) => alone.has(result))
}

/**
 * Refuses messages for their data if the service accepted another one of the same call. Otherwise the reason may be the
 * table or the queue, and they are retried.
 */
export function refusedBeside(results: readonly SendResult[], isOfData: (result: SendResult) => boolean): SendResult[] {
  const isOtherAccepted = results.some(({ outcome }) => outcome === 'delivered')
  return results.map((result) =>
    isOtherAccepted && result.outcome === 'retry' && isOfData(result) ? { ...result, outcome: 'refused' } : result,
  )
}
