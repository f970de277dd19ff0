import type { Keyring } from '../../../../kernel/encryption/index.ts'
import { endpoint, Path, ProjectPath, Ref, reply } from '../../../../kernel/http/index.ts'
import type { JobQueue } from '../../../../kernel/jobs/index.ts'
import { deliveryJob } from '../delivery-job.ts'
import { destinationResource } from '../destination-resource.ts'
import type { DestinationHooks } from '../hooks.ts'
import { Destination } from '../model.ts'
import { DestinationNotFound } from '../problems.ts'
import { findDestination, lockDestination, updateDestinationRow } from '../store.ts'
import { withActivityOf } from '../with-activity.ts'

export const enableDestination = endpoint({
  id: 'enableDestination',
  method: 'POST',
  path: '/projects/{projectIdOrName}/destinations/{destination}:enable',
  access: 'operate',
  summary: 'Enable a destination.',
  description:
    'Sends queued messages immediately and resets the failure count. For a destination that is failing but not disabled, this also ends the wait for its next probe.',
  tag: 'Destinations',
  extension: true,
  params: Path({ ...ProjectPath.properties, destination: Ref }),
  reply: { 200: Destination },
  problems: [DestinationNotFound],
  run: async (
    { db, params },
    { keyring, queue, hooks }: { keyring: Keyring; queue: JobQueue; hooks: DestinationHooks },
  ) => {
    const found = await findDestination(db, params.destination)
    const row = await db.transaction(async (tx) => {
      const before = found && (await lockDestination(tx, found.id))
      if (!before) throw new DestinationNotFound()
      const { id, name } = before
      const enabled = await updateDestinationRow(tx, { id, name, enable: true })
      if (before.disabled_time !== null)
        await hooks.destinationChanged(tx, { destinationId: id, name, kind: 'enabled' })
      await queue.enqueue(tx, deliveryJob, { projectId: tx.projectId, destinationId: id }, id)
      return enabled
    })
    return reply(200, await withActivityOf(db, destinationResource(keyring, row)))
  },
})
