import type { Keyring } from '../../../../kernel/encryption/index.ts'
import { endpoint, InvalidInput, Path, ProjectPath, Ref, reply } from '../../../../kernel/http/index.ts'
import type { JobQueue } from '../../../../kernel/jobs/index.ts'
import type { AddressGuard, NameResolver } from '../../../../kernel/net/index.ts'
import { deliveryJob } from '../delivery-job.ts'
import { encryptMetadata, openMetadata } from '../destination-metadata.ts'
import { destinationResource } from '../destination-resource.ts'
import { applyUpdate, hasNewAddress } from '../destination-update.ts'
import { checkForwarding, forwardingOf } from '../forwarding.ts'
import { deleteGroupsOfDestination } from '../group-store.ts'
import type { DestinationHooks } from '../hooks.ts'
import { Destination, DestinationUpdate } from '../model.ts'
import { DestinationNameTaken, DestinationNotFound } from '../problems.ts'
import { findDestination, findDestinationByName, lockDestination, updateDestinationRow } from '../store.ts'
import { withActivityOf } from '../with-activity.ts'

export const updateDestination = endpoint({
  id: 'updateDestination',
  method: 'PATCH',
  path: '/projects/{projectIdOrName}/destinations/{destination}',
  access: 'develop',
  summary: 'Update a destination.',
  description:
    'Setting `metadata.url`, even to the same value, enables a disabled destination, and sends queued messages immediately. A masked value that you send back unchanged keeps the stored one. A change that would send a stored secret to another receiver needs the secret again: otherwise it is a 400, and nothing is stored. With `type`, `metadata` and `secrets` in the mask, the destination changes to another type: queued messages go there, and its id, name and signing secret stay.',
  tag: 'Destinations',
  params: Path({ ...ProjectPath.properties, destination: Ref }),
  body: DestinationUpdate,
  reply: { 200: Destination },
  problems: [DestinationNotFound, DestinationNameTaken],
  run: async (
    { db, params, body },
    services: { guard: AddressGuard; names: NameResolver; keyring: Keyring; queue: JobQueue; hooks: DestinationHooks },
  ) => {
    const found = await findDestination(db, params.destination)
    if (!found) throw new DestinationNotFound()
    const { keyring } = services
    const draft = applyUpdate(found, openMetadata(keyring, found), body, services)
    const issues =
      draft.enable && draft.metadata
        ? await draft.kind.checkSettings(draft.metadata, 'destination.metadata', { ...services, project: db.projectId })
        : []
    if (issues.length > 0) throw new InvalidInput({ issues })
    const row = await db.transaction(async (tx) => {
      const before = await lockDestination(tx, found.id)
      if (!before) throw new DestinationNotFound()
      const stored = openMetadata(keyring, before)
      const { name, kind, metadata, enable } = applyUpdate(before, stored, body, services)
      const other = name === before.name ? undefined : await findDestinationByName(tx, name)
      if (other) throw new DestinationNameTaken({ detail: `This project has a destination named ${name} already.` })
      const stays = { members: before.members, groupDefault: before.group_default }
      const forwarding = metadata ? forwardingOf(kind, metadata) : stays
      await checkForwarding(tx, { id: before.id, name, forwarding, before: stays, at: 'destination.' })
      if (kind.name !== before.type) await deleteGroupsOfDestination(tx, before.id)
      const updated = await updateDestinationRow(tx, {
        id: before.id,
        name,
        type: kind.name,
        enable,
        ...(metadata && {
          metadata: {
            encrypted: encryptMetadata(keyring, before, metadata),
            ...forwarding,
            isNewAddress: kind.name !== before.type || hasNewAddress(kind, stored, metadata),
          },
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
    return reply(200, await withActivityOf(db, destinationResource(keyring, row)))
  },
})
