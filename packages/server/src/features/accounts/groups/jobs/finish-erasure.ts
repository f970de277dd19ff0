import { job } from '../../../../kernel/jobs/index.ts'
import type { Services } from '../../../../services.ts'
import { eraseLateMessages, eraseMessages } from '../../../messaging/messages/index.ts'
import { eraseOperations } from '../../../platform/operations/index.ts'
import { deleteErasure, findErasure, updateErasureCursor } from '../erasure-store.ts'

/** Messages that one statement looks through: 300 kB each at most. */
const messagesAtOnce = 200
const operationsAtOnce = 500

/**
 * Erases what is left of a group or consumer that was deleted: its operations with their logs, and every message that
 * was posted for its installations, or whose body names it. Goes on where a run before it ended.
 */
export const finishErasure = job({
  name: 'groups.finish-erasure',
  policy: 'one-per-key',
  concurrency: 1,
  expireInSeconds: 600,
  heartbeatSeconds: 30,
  retryLimit: 10,
  retryDelaySeconds: 5,
  run: async (
    { data, signal }: { data: { projectId: string; erasureId: string }; signal: AbortSignal },
    { database }: Pick<Services, 'database'>,
  ) => {
    const db = database.forProject(data.projectId)
    const erasure = await findErasure(db, data.erasureId)
    if (!erasure) return
    const { id, installation_ids: installationIds, kind, ref } = erasure
    while (await eraseOperations(db, installationIds, operationsAtOnce)) signal.throwIfAborted()

    // As JSON.stringify writes it into every body that names it.
    const text = `"${kind}Ref":${JSON.stringify(ref)}`
    let after: string | null | undefined = erasure.cursor
    while (after !== undefined) {
      signal.throwIfAborted()
      const next = await eraseMessages(db, { installationIds, text }, { after, before: id, limit: messagesAtOnce })
      if (next !== undefined) await updateErasureCursor(db, id, next)
      after = next
    }
    await eraseLateMessages(db, installationIds, id)
    await deleteErasure(db, id)
  },
})
