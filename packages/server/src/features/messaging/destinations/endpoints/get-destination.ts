import { Type } from 'typebox'
import type { Keyring } from '../../../../kernel/encryption/index.ts'
import { assertRole, endpoint, Forbidden, Path, ProjectPath, Ref, reply } from '../../../../kernel/http/index.ts'
import { DestinationWithSecrets } from '../model.ts'
import { DestinationNotFound } from '../problems.ts'
import { rotateSecret, shownDestination } from '../rotate-secret.ts'
import { findDestination } from '../store.ts'
import { withActivityOf } from '../with-activity.ts'

export const getDestination = endpoint({
  id: 'getDestination',
  method: 'GET',
  path: '/projects/{projectIdOrName}/destinations/{destination}',
  access: 'view',
  summary: 'Get a destination, with its secrets on request.',
  description: 'Without `includeSecrets`, the URL and the headers are masked.',
  tag: 'Destinations',
  params: Path({ ...ProjectPath.properties, destination: Ref }),
  query: Type.Object({
    includeSecrets: Type.Optional(
      Type.Boolean({
        description:
          'Also returns the signing secret, and the URL and the headers whole. People need the role `developer`.',
      }),
    ),
    rotate: Type.Optional(
      Type.Boolean({
        description:
          'Makes a new signing secret, for existing clients of the interface. People need the role `developer`. Deprecated: send `POST …:rotateSecret`. A `HEAD` or a prefetch rotates nothing.',
      }),
    ),
  }),
  reply: { 200: DestinationWithSecrets },
  problems: [DestinationNotFound, Forbidden],
  run: async ({ caller, db, params, query, headers, isHead }, services: { keyring: Keyring; now: () => Date }) => {
    if (query.includeSecrets) assertRole(caller, 'developer', 'Showing the secrets of a destination')
    if (query.rotate) assertRole(caller, 'developer', 'Rotating the secret of a destination')
    const found = await findDestination(db, params.destination)
    if (!found) throw new DestinationNotFound()
    if (!query.rotate)
      return reply(200, await withActivityOf(db, shownDestination(services, found, query.includeSecrets)))
    const row = isHead || isPrefetch(headers) ? found : await rotateSecret(db, services, found.id)
    return reply(200, shownDestination(services, row, query.includeSecrets), deprecated)
  },
})

/** RFC 9745: since when, in Unix seconds. */
const deprecated = { deprecation: '@1764547200' }

/** What a browser, or something before it, asks ahead of anybody (Fetch standard, `Sec-Purpose`). */
function isPrefetch(headers: Record<string, string | string[] | undefined>): boolean {
  return [headers['sec-purpose'], headers['purpose'], headers['x-purpose'], headers['x-moz']].some((purpose) =>
    /prefetch|preview/i.test(String(purpose ?? '')),
  )
}
