import type { NewId } from '../../../kernel/db/index.ts'
import type { ServerEvent } from '../../../kernel/http/index.ts'
import type { PubSub } from '../../../kernel/pubsub/index.ts'
import { PendingChanges } from './pending-changes.ts'
import { changesTopic } from './topic.ts'

/** Changes within this time are sent together, so a stream sends each kind at most twice a second. */
const collectMs = 500
/** Maximum duration of a stream: its client then has to reconnect and authenticate again. */
const longestMs = 60 * 60 * 1_000

/**
 * Streams an event `change` for what changes in a project. Runs no statement. What changes while the client is slow is
 * collected, and what may have been missed becomes one change of kind `all`.
 */
export async function* changeEvents(
  { pubsub, newId }: { pubsub: PubSub; newId: NewId },
  { projectId, signal }: { projectId: string; signal: AbortSignal },
): AsyncGenerator<ServerEvent> {
  const pending = new PendingChanges()
  let wake = () => {}
  const subscription = pubsub.subscribe(changesTopic(projectId), {
    receive(change) {
      pending.add(change)
      wake()
    },
    missed() {
      pending.add({ kind: 'all' })
      wake()
    },
  })
  const until = performance.now() + longestMs
  const waitFor = async (ms: number, isDone: () => boolean) => {
    if (signal.aborted || isDone()) return
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, Math.max(0, ms))
      wake = () => {
        if (!signal.aborted && !isDone()) return
        clearTimeout(timer)
        resolve()
      }
      signal.addEventListener('abort', wake, { once: true })
    })
    signal.removeEventListener('abort', wake)
    wake = () => {}
  }
  try {
    await subscription.ready
    // Also if the node cannot receive notifications now.
    pending.add({ kind: 'all' })
    while (!signal.aborted && performance.now() < until) {
      await waitFor(until - performance.now(), () => !pending.isEmpty)
      for (const change of pending.take()) yield { id: newId(), event: 'change', data: change }
      await waitFor(collectMs, () => false)
    }
  } finally {
    subscription.end()
  }
}
