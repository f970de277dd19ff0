import { jsonOf } from './http-calls.ts'
import type { OutgoingMessage } from './kind.ts'

/** Services limit keys and ids to this length, or to more. */
const lengthMax = 128

/** Returns the installation that a message belongs to, which is what services that keep an order order by. */
export function installationOf({ body }: Pick<OutgoingMessage, 'body'>): string | undefined {
  const found = jsonOf({ body })?.['installationId']
  return typeof found === 'string' && found !== '' ? found.slice(0, lengthMax) : undefined
}
