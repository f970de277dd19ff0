import { createHash } from 'node:crypto'
import { fieldsOf } from './envelope.ts'
import { jsonOf } from './http-calls.ts'
import type { OutgoingMessage, SenderServices, SendResult, StoredResult } from './kind.ts'
import { startSignature } from './signing.ts'
import { type DividedBody, rangesOf, type StreamedBody } from './streamed-body.ts'

/** A message that contains its result, which was too large for it. */
export interface InlineMessage {
  body: DividedBody
  /** The message without its result. */
  head: Record<string, unknown>
  /** The signature of the body, as in the headers of Standard Webhooks. */
  signature: Record<string, string>
}

/** The result is not kept any more. */
export class ResultNotKept extends Error {
  override name = 'ResultNotKept'
  constructor() {
    super('The result of the message is not kept any more.')
  }
}

/** What happens to a message whose result is not kept any more. */
export const notKept: SendResult = { outcome: 'refused', error: 'The records of the message are not kept any more.' }

/** Size of a piece: the driver of the database needs several times as much, for each object that is sent. */
const pieceBytes = 2 ** 18

/**
 * Puts the result of a message into it, in the form that a small result has. The result is read in pieces: once to sign
 * it, and again each time that the body is sent.
 *
 * @throws ResultNotKept
 */
export async function withInlineResult(
  message: OutgoingMessage,
  { keys, openResult }: Pick<SenderServices, 'keys' | 'openResult'>,
  time: Date,
): Promise<InlineMessage> {
  const result = await openResult(message.id)
  if (result === undefined) throw new ResultNotKept()
  const { head, start, end, bare } = frameOf(jsonOf(message) ?? {})
  const [from, to] = bare ? [1, result.bytes - 1] : [0, result.bytes]
  const [before, after] = [Buffer.from(start), Buffer.from(end)]
  const until = before.length + (to - from)
  const bytes = until + after.length
  /** Reads the body from one of its bytes to another. */
  async function* read(first: number, last: number) {
    if (first < before.length) yield before.subarray(first, last)
    const shift = from - before.length
    yield* partsOfResult(result as StoredResult, Math.max(first + shift, from), Math.min(last + shift, to))
    if (last > until) yield after.subarray(Math.max(first - until, 0), last - until)
  }
  const signature = startSignature(keys, message.id, time)
  const parts: StreamedBody[] = []
  for (const { from: first, to: last } of rangesOf(bytes)) {
    const hash = createHash('sha256')
    for await (const piece of read(first, last)) {
      hash.update(piece)
      signature.update(piece)
    }
    parts.push({ bytes: last - first, sha256: hash.digest('hex'), read: () => read(first, last) })
  }
  return {
    body: { bytes, parts, read: () => read(0, bytes) },
    head,
    signature: fieldsOf(message.id, signature.finish()),
  }
}

/** The body of a message with its result, as `withInlineResult` makes it, in memory. */
export function inlineBody(message: OutgoingMessage, result: Buffer): Buffer {
  const { start, end, bare } = frameOf(jsonOf(message) ?? {})
  return Buffer.concat([Buffer.from(start), bare ? result.subarray(1, -1) : result, Buffer.from(end)])
}

/** Reads a part of a result, in pieces. @throws ResultNotKept */
export async function* partsOfResult(result: StoredResult, from: number, to: number): AsyncGenerator<Buffer> {
  for (let at = from; at < to; at += pieceBytes) {
    const wanted = Math.min(pieceBytes, to - at)
    const piece = await result.read(at, wanted)
    if (piece?.length !== wanted) throw new ResultNotKept()
    yield piece
  }
}

interface Frame {
  head: Record<string, unknown>
  /** What surrounds the result. */
  start: string
  end: string
  /** Whether the result is put in without its outermost brackets or braces. */
  bare: boolean
}

/** Returns what surrounds a result that is put into its message. */
function frameOf(body: Record<string, unknown>): Frame {
  const { resultInfo, ...header } = body
  if (typeof resultInfo !== 'object' || resultInfo === null) return frameOfConfigs(body)
  const head = { ...header, resultInfo: { type: 'inline', numRecords: Reflect.get(resultInfo, 'numRecords') } }
  // The changes of a schema are the only item of their result.
  const bare = header['action'] === 'schema.watch'
  return { head, start: `${JSON.stringify(head).slice(0, -1)},"result":`, end: '}', bare }
}

/** The URLs of notifications whose configs are too large. Their result is an object of these configs. */
const configUrls = new Set(['configURL', 'lastConfigURL'])

function frameOfConfigs(head: Record<string, unknown>): Frame {
  const kept = Object.fromEntries(Object.entries(head).filter(([name]) => !configUrls.has(name)))
  const text = JSON.stringify(kept).slice(0, -1)
  return { head: kept, start: text === '{' ? text : `${text},`, end: '}', bare: true }
}
