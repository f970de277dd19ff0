import { awsError } from '../aws.ts'
import { type HttpAnswer, notDelivered, xmlCode } from '../http-calls.ts'
import type { SendResult } from '../kind.ts'

/** What an answer says about an object, or a part of one, that was sent. */
export function receiptOf(url: URL, answer: HttpAnswer, time: Date): SendResult {
  // Every store of this protocol names what it stored. A page of a proxy can have such a header, too.
  return resultOf(url, answer, time, Boolean(answer.headers['etag']) && !isPage(answer))
}

/**
 * What an answer says about a step of an upload.
 *
 * @param root how the name of the document begins that confirms the step: some stores call it a response, not a result
 * @param receipt what the client read from that document
 */
export function documentOf(
  url: URL,
  answer: HttpAnswer,
  time: Date,
  { root, receipt }: { root: string; receipt: string | undefined },
): SendResult {
  // Spaces before it keep the connection open until the result is known.
  const text = answer.body.toString().trimStart()
  // The client accepts any document that has the receipt.
  const isRoot = /^(?:<\?[^>]*>\s*)?<([^\s>]*)/.exec(text)?.[1]?.startsWith(root) ?? false
  return resultOf(url, { ...answer, body: Buffer.from(text) }, time, isRoot && Boolean(receipt))
}

function resultOf(url: URL, answer: HttpAnswer, time: Date, isConfirmed: boolean): SendResult {
  const { status, body } = answer
  // Some stores answer the status before they know the result.
  if (status !== 200 || xmlCode(answer) !== undefined) return awsError(url, answer, time)
  if (!isConfirmed) return notDelivered(url, answer, time, `${url.host} did not confirm the object.`)
  return { outcome: 'delivered', status, response: body }
}

/** By the body alone: some stores confirm an object with an empty answer of the type of a page. */
function isPage({ body }: HttpAnswer): boolean {
  return /^<(?:!doctype|html)/.test(body.subarray(0, 100).toString().trimStart().toLowerCase())
}
