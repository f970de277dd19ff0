import { Type } from 'typebox'
import type { Keyring } from '../../../../kernel/encryption/index.ts'
import { endpoint, Path, ProjectPath, Ref, reply } from '../../../../kernel/http/index.ts'
import { DestinationWithSecrets } from '../model.ts'
import { DestinationNotFound } from '../problems.ts'
import { rotateSecret, shownDestination } from '../rotate-secret.ts'
import { findDestination } from '../store.ts'

export const rotateDestinationSecret = endpoint({
  id: 'rotateDestinationSecret',
  method: 'POST',
  path: '/projects/{projectIdOrName}/destinations/{destination}:rotateSecret',
  access: 'develop',
  summary: 'Create a new signing secret for a destination.',
  description:
    'For 24 hours, messages are signed with the old secret too. At most ten old secrets sign. Send an `Idempotency-Key` so that a repeated request does not rotate twice.',
  tag: 'Destinations',
  extension: true,
  params: Path({ ...ProjectPath.properties, destination: Ref }),
  query: Type.Object({
    includeSecrets: Type.Optional(
      Type.Boolean({ description: 'Also returns the signing secret, and the URL and the headers whole.' }),
    ),
  }),
  reply: { 200: DestinationWithSecrets },
  problems: [DestinationNotFound],
  run: async ({ db, params, query }, services: { keyring: Keyring; now: () => Date }) => {
    const found = await findDestination(db, params.destination)
    if (!found) throw new DestinationNotFound()
    return reply(200, shownDestination(services, await rotateSecret(db, services, found.id), query.includeSecrets))
  },
})
