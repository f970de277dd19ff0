import { setImmediate } from 'node:timers/promises'
import { OutboundError } from '../../../kernel/net/index.ts'
import { failureOf } from './failure-of.ts'
import type { OutgoingMessage, RejectedRecords, SenderServices, SendOptions, SendResult } from './kind.ts'
import { type MessagePart, type RecordMessage, splitIntoRecords } from './record-messages.ts'

/** What happened to a message of one record. */
export interface RecordResult {
  result: SendResult
  /** Whether the record is the reason that it was not delivered, so that others are. */
  isOfRecord: boolean
}

/** A message, and the key by which it keeps its order. */
export interface KeyedMessage {
  message: RecordMessage | OutgoingMessage
  key: string
}

export interface RecordsOptions extends SendOptions {
  services: Pick<SenderServices, 'openResult'>
  keyOf(message: RecordMessage | OutgoingMessage): string
  /**
   * Sends messages once, in their order, and returns what happened to each.
   *
   * @throws OutboundError when the same happened to all of them
   */
  send(batch: readonly KeyedMessage[], options: SendOptions): Promise<readonly RecordResult[]>
}

/** Size and number of the messages of records that are in memory. One more may be larger. */
const windowBytes = 2 * 2 ** 20
const windowMax = 2_000
/** Confirmations of records that an attempt shows. */
const shownMax = 20

/**
 * Sends each record of messages as a separate message, a limited number at a time. A message is delivered when all of
 * its records are. Records that were refused become separate messages; any other failure is one of the message, and of
 * everything after it that has the key of a record that it did not deliver.
 *
 * @throws OutboundError if the first call ends with one; a later one settles what was not sent
 */
export async function sendRecords(
  batch: readonly OutgoingMessage[],
  { services, keyOf, send, ...options }: RecordsOptions,
): Promise<SendResult[]> {
  const until = performance.now() + options.timeoutMs
  const collected = new Map(batch.map((message) => [message, new RecordsOfMessage()]))
  const failedKeys = new Map<string, SendResult>()
  const note = (part: MessagePart, { result, isOfRecord }: RecordResult, key?: string) => {
    collected.get(part.message)?.add(part, result, isOfRecord)
    if (!isOfRecord && result.outcome !== 'delivered' && key !== undefined) failedKeys.set(key, result)
  }
  let isFirst = true
  for await (const window of windowsOf(batch, services)) {
    const sent: (KeyedMessage & { part: MessagePart })[] = []
    for (const part of window) {
      const { content } = part
      if ('outcome' in content) {
        note(part, { result: content, isOfRecord: part.entry !== undefined })
        continue
      }
      const key = keyOf(content)
      const failure = collected.get(part.message)?.failure ?? failedKeys.get(key)
      if (failure) note(part, { result: failure, isOfRecord: false }, key)
      else sent.push({ part, message: content, key })
    }
    if (sent.length === 0) continue
    try {
      const timeoutMs = Math.ceil(until - performance.now())
      if (timeoutMs <= 0) throw new OutboundError('timeout', 'The message was not sent in time.')
      const results = await send(sent, { ...options, timeoutMs })
      for (const [at, { part, key }] of sent.entries()) note(part, results[at] ?? lost, key)
    } catch (error) {
      if (isFirst) throw error
      const failure = failureOf(error)
      for (const message of messagesFrom(batch, sent[0]?.part.message)) collected.get(message)?.fail(failure)
      break
    }
    isFirst = false
  }
  return batch.map((message) => collected.get(message)?.result() ?? lost.result)
}

const lost: RecordResult = {
  result: { outcome: 'retry', error: 'The message was not sent.' },
  isOfRecord: false,
}

const messagesFrom = (batch: readonly OutgoingMessage[], first: OutgoingMessage | undefined) =>
  batch.slice(Math.max(first ? batch.indexOf(first) : 0, 0))

/** Splits messages, and collects their parts up to a size. */
async function* windowsOf(
  batch: readonly OutgoingMessage[],
  services: RecordsOptions['services'],
): AsyncGenerator<MessagePart[]> {
  let window: MessagePart[] = []
  let bytes = 0
  for (const message of batch) {
    // A large message takes milliseconds, so the process does other work between two.
    await setImmediate()
    for await (const part of splitIntoRecords(message, services)) {
      const size = 'body' in part.content ? part.content.body.length : 0
      if (window.length > 0 && (bytes + size > windowBytes || window.length >= windowMax)) {
        yield window
        window = []
        bytes = 0
      }
      window.push(part)
      bytes += size
    }
  }
  if (window.length > 0) yield window
}

/** What happened to the records of one message. */
class RecordsOfMessage {
  /** Why the message is tried again as a whole. */
  failure: SendResult | undefined
  readonly #rejected: RejectedRecords[] = []
  readonly #confirmed: Buffer[] = []
  #delivered = 0

  add({ entry }: MessagePart, result: SendResult, isOfRecord: boolean): void {
    if (result.outcome === 'delivered') {
      if (++this.#delivered <= shownMax && result.response) this.#confirmed.push(result.response)
    } else if (isOfRecord && entry !== undefined) this.#rejected.push(rejectedOf(entry, result))
    else this.fail(result)
  }

  fail(result: SendResult): void {
    this.failure ??= result
  }

  result(): SendResult {
    if (this.failure) return this.failure
    const [first] = this.#rejected
    if (first && this.#delivered === 0) return this.#ofRejected(first)
    const more = this.#delivered - shownMax
    const shown = [this.#confirmed.join(', '), ...(more > 0 ? [`${more} more`] : [])].join(' and ')
    return {
      outcome: 'delivered',
      response: Buffer.from(shown),
      ...(this.#rejected.length > 0 && { rejected: this.#rejected }),
    }
  }

  /** A message without a record that was delivered stays whole. */
  #ofRejected({ entries: _, ...first }: RejectedRecords): SendResult {
    const areRefused = this.#rejected.every(({ outcome }) => outcome === 'refused')
    return { ...first, outcome: areRefused ? 'refused' : 'retry' }
  }
}

function rejectedOf(entry: number, { error, response, outcome }: SendResult): RejectedRecords {
  return {
    entries: [entry],
    outcome: outcome === 'refused' ? 'refused' : 'retry',
    ...(error !== undefined && { error }),
    ...(response !== undefined && { response }),
  }
}
