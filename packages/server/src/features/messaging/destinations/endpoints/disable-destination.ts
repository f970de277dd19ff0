import { Type } from 'typebox'
import type { Keyring } from '../../../../kernel/encryption/index.ts'
import { endpoint, Path, ProjectPath, Ref, reply } from '../../../../kernel/http/index.ts'
import { destinationResource } from '../destination-resource.ts'
import type { DestinationHooks } from '../hooks.ts'
import { Destination } from '../model.ts'
import { DestinationNotFound } from '../problems.ts'
import { findDestination, lockDestination, updateDestinationDisabled } from '../store.ts'
import { withActivityOf } from '../with-activity.ts'

export const disableDestination = endpoint({
  id: 'disableDestination',
  method: 'POST',
  path: '/projects/{projectIdOrName}/destinations/{destination}:disable',
  access: 'operate',
  summary: 'Disable a destination.',
  description:
    'Nothing is sent until you enable it, except messages that are already being sent. Its messages are queued. No effect on a disabled destination.',
  tag: 'Destinations',
  extension: true,
  params: Path({ ...ProjectPath.properties, destination: Ref }),
  body: Type.Object({
    reason: Type.Optional(Type.String({ minLength: 1, maxLength: 500, description: 'Shown as `disabledReason`.' })),
  }),
  bodyOptional: true,
  reply: { 200: Destination },
  problems: [DestinationNotFound],
  run: async ({ db, params, body }, { keyring, hooks }: { keyring: Keyring; hooks: DestinationHooks }) => {
    const found = await findDestination(db, params.destination)
    const row = await db.transaction(async (tx) => {
      const before = found && (await lockDestination(tx, found.id))
      if (!before) throw new DestinationNotFound()
      if (before.disabled_time !== null) return before
      const { id, name } = before
      const disabled = await updateDestinationDisabled(tx, id, body?.reason ?? 'Disabled on request.')
      await hooks.destinationChanged(tx, { destinationId: id, name, kind: 'disabled' })
      return disabled
    })
    return reply(200, await withActivityOf(db, destinationResource(keyring, row)))
  },
})
