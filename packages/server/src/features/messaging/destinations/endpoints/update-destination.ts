import { endpoint, InvalidInput, Path, ProjectPath, Ref, reply } from '../../../../kernel/http/index.ts'
import type { Services } from '../../../../services.ts'
import { checkHost } from '../check-host.ts'
import { deliveryJob } from '../delivery-job.ts'
import { openMetadata, sealMetadata } from '../destination-metadata.ts'
import { destinationResource } from '../destination-resource.ts'
import { applyUpdate } from '../destination-update.ts'
import { Destination, DestinationUpdate } from '../model.ts'
import { DestinationNameTaken, DestinationNotFound } from '../problems.ts'
import { findDestination, findDestinationByName, lockDestination, updateDestinationRow } from '../store.ts'

export const updateDestination = endpoint({
  id: 'updateDestination',
  method: 'PATCH',
  path: '/projects/{projectIdOrName}/destinations/{destination}',
  access: 'full',
  summary: 'Update a destination.',
  description:
    'Setting `metadata.url`, even to the same value, enables a disabled destination, and sends queued messages immediately. A masked value that you send back unchanged keeps the stored one.',
  tag: 'Destinations',
  params: Path({ ...ProjectPath.properties, destination: Ref }),
  body: DestinationUpdate,
  reply: { 200: Destination },
  problems: [DestinationNotFound, DestinationNameTaken],
  run: async ({ db, params, body }, services: Pick<Services, 'guard' | 'names' | 'keyring' | 'queue' | 'hooks'>) => {
    const found = await findDestination(db, params.destination)
    if (!found) throw new DestinationNotFound()
    const { guard, keyring } = services
    const draft = applyUpdate(found, openMetadata(keyring, found), body, guard)
    const issues =
      draft.enable && draft.metadata
        ? await checkHost(draft.metadata.url, 'destination.metadata.url', services, db.projectId)
        : []
    if (issues.length > 0) throw new InvalidInput({ issues })
    const row = await db.transaction(async (tx) => {
      const before = await lockDestination(tx, found.id)
      if (!before) throw new DestinationNotFound()
      const stored = openMetadata(keyring, before)
      const { name, metadata, enable } = applyUpdate(before, stored, body, guard)
      const other = name === before.name ? undefined : await findDestinationByName(tx, name)
      if (other) throw new DestinationNameTaken({ detail: `This project has a destination named ${name} already.` })
      const updated = await updateDestinationRow(tx, {
        id: before.id,
        name,
        enable,
        ...(metadata && {
          metadata: { sealed: sealMetadata(keyring, before, metadata), isNewUrl: metadata.url !== stored.url },
        }),
      })
      const enabled = before.disabled_time !== null && enable
      const change = { destinationId: before.id, name: updated.name, kind: enabled ? 'enabled' : 'updated' } as const
      await services.hooks.destinationChanged(tx, change)
      if (enable) {
        const data = { projectId: tx.projectId, destinationId: before.id }
        await services.queue.enqueue(tx, deliveryJob, data, before.id)
      }
      return updated
    })
    return reply(200, destinationResource(keyring, row))
  },
})
