import { Type } from 'typebox'
import type { ProjectDb } from '../../../kernel/db/index.ts'
import { operation, Path, ProjectPath, Ref, reply } from '../../../kernel/http/index.ts'
import type { Services } from '../../../services.ts'
import { openSecrets, sealSecrets } from '../delivery-target.ts'
import { destinationResource } from '../destination-resource.ts'
import { DestinationWithSecrets } from '../model.ts'
import { DestinationNotFound } from '../problems.ts'
import { afterRotation, newSigningSecret } from '../signing.ts'
import { findDestination, lockDestination, updateDestinationSecrets } from '../store.ts'

export const getDestination = operation({
  id: 'getDestination',
  method: 'GET',
  path: '/projects/{projectIdOrName}/destinations/{destination}',
  access: 'full',
  summary: 'Get a destination, and its signing secret when asked for.',
  tag: 'Destinations',
  params: Path({ ...ProjectPath.properties, destination: Ref }),
  query: Type.Object({
    includeSecrets: Type.Optional(Type.Boolean({ description: 'Also answers the signing secret.' })),
    rotate: Type.Optional(
      Type.Boolean({
        description: 'Makes a new signing secret. The old one signs along for 24 hours, at most ten of them.',
      }),
    ),
  }),
  reply: { 200: DestinationWithSecrets },
  problems: [DestinationNotFound],
  run: async ({ db, params, query }, { keyring, now }: Pick<Services, 'keyring' | 'now'>) => {
    const found = await findDestination(db, params.destination)
    if (!found) throw new DestinationNotFound()
    const row = query.rotate ? await db.transaction((tx) => rotate(tx, found.id)) : found
    const resource = destinationResource(row)
    if (!query.includeSecrets) return reply(200, resource)
    return reply(200, { ...resource, secrets: openSecrets(keyring, row, row.sealed_secrets) })

    async function rotate(tx: ProjectDb, id: string) {
      const locked = await lockDestination(tx, id)
      if (!locked) throw new DestinationNotFound()
      return updateDestinationSecrets(tx, {
        id,
        sealedSecrets: sealSecrets(keyring, locked, { webhookSigningKey: newSigningSecret() }),
        previous: afterRotation(locked.sealed_secrets, locked.previous_secrets, now()),
      })
    }
  },
})
