import type { NewId, ProjectDb } from '../../../kernel/db/index.ts'
import type { ServerEvent } from '../../../kernel/http/index.ts'
import { type PubSub, TooManyStreams } from '../../../kernel/pubsub/index.ts'
import { followTools } from './tool-changes.ts'

const methods = ['notifications/tools/list_changed', 'notifications/resources/list_changed']

/**
 * Streams the notifications that lists have changed, until the signal aborts.
 *
 * @param hasMissed whether the client had a stream before: what changed since is not known
 * @throws TooManyStreams
 */
export async function changedNotifications(
  { pubsub, newId }: { pubsub: PubSub; newId: NewId },
  { db, groupRef, hasMissed, signal }: { db: ProjectDb; groupRef: string; hasMissed: boolean; signal: AbortSignal },
): Promise<AsyncGenerator<ServerEvent>> {
  let isChanged = hasMissed
  let wake = () => {}
  const changed = () => {
    isChanged = true
    wake()
  }
  const end = await followTools(pubsub, db, { groupRef, changed })
  if (!end) throw new TooManyStreams()
  signal.addEventListener('abort', () => wake(), { once: true })

  async function* events(): AsyncGenerator<ServerEvent> {
    while (!signal.aborted) {
      if (isChanged) {
        isChanged = false
        for (const method of methods) yield { id: newId(), data: { jsonrpc: '2.0', method } }
      }
      await new Promise<void>((resolve) => {
        wake = resolve
        if (isChanged || signal.aborted) resolve()
      })
    }
  }
  signal.addEventListener('abort', end, { once: true })
  if (signal.aborted) end()
  return events()
}
