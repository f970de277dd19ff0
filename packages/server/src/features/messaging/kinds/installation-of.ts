import { jsonOf } from './http-calls.ts'
import type { OutgoingMessage } from './kind.ts'

/** Services limit keys and ids to this length, or to more. */
const lengthMax = 128

const idMember = '"installationId":'
const resultMember = ',"result":'

/**
 * Returns the installation that a message belongs to, which is what services that keep an order order by. It comes
 * before the result, whose hundreds of records take much longer to parse.
 */
export function installationOf({ body }: Pick<OutgoingMessage, 'body'>): string | undefined {
  // In a text, the quotes of these members would be escaped.
  const at = body.indexOf(idMember)
  if (at < 0) return undefined
  const end = body.indexOf(resultMember, at)
  // What ends before the member of another object is not an object, and is not found.
  const head = end < 0 ? undefined : idOf(Buffer.concat([body.subarray(0, end), Buffer.from('}')]))
  return head ?? idOf(body)
}

function idOf(body: Buffer): string | undefined {
  const found = jsonOf({ body })?.['installationId']
  return typeof found === 'string' && found !== '' ? found.slice(0, lengthMax) : undefined
}
