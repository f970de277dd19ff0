import { connectionIdOf } from '../connection-id.ts'
import { groupPlaceholder, groupRefOf } from '../group-ref.ts'
import { jsonOf } from '../http-calls.ts'
import type { OutgoingMessage, SenderServices } from '../kind.ts'
import { sourceOf } from '../object-key.ts'

/** What a URL contains where the id of the connection of a message is filled in. */
export const connectionPlaceholder = '{{connectionId}}'

/** What is filled in for a message without a group or a connection. */
const none = '_'

/**
 * Returns the URL of a message: with its group and its connection in place of their placeholders. Both are
 * percent-encoded, so they cannot change the structure of the URL. A group of dots alone would, because a path with it
 * is another path. Then there is no URL.
 */
export function urlsOfMessages(
  url: string,
  services: Pick<SenderServices, 'originsOf'>,
): (message: OutgoingMessage) => Promise<URL | undefined> {
  const hasConnection = url.includes(connectionPlaceholder)
  const fixed = new URL(url)
  if (!hasConnection && !url.includes(groupPlaceholder)) return async () => fixed
  const connectionOf = connectionsOf(services)
  return async (message) => {
    const data = jsonOf(message) ?? {}
    const groupRef = groupRefOf(data) ?? none
    if (/^\.+$/.test(groupRef)) return undefined
    const connectionId = hasConnection ? await connectionOf(message, data) : none
    const values: Record<string, string> = { [groupPlaceholder]: groupRef, [connectionPlaceholder]: connectionId }
    return new URL(
      url.replaceAll(/\{\{(?:groupRef|connectionId)\}\}/g, (name) =>
        encodeURIComponent((values[name] ?? '').toWellFormed()),
      ),
    )
  }
}

/** Finds connections of messages, and remembers those of installations while the destination is open. */
function connectionsOf({ originsOf }: Pick<SenderServices, 'originsOf'>) {
  const known = new Map<string, string>()
  return async (message: OutgoingMessage, data: Record<string, unknown>): Promise<string> => {
    const named = connectionIdOf(data)
    if (named !== undefined) return named
    const source = sourceOf({ message, data })
    const { installationId } = source
    if (installationId === undefined) return none
    const found = known.get(installationId) ?? (await originsOf([source]))[0]?.connectionId ?? none
    known.set(installationId, found)
    return found
  }
}
