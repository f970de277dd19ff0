import { Type } from 'typebox'
import type { Keyring } from '../../../../kernel/encryption/index.ts'
import { endpoint, PageQuery, ProjectPath, pageOf, reply } from '../../../../kernel/http/index.ts'
import { destinationResource } from '../destination-resource.ts'
import { Destination } from '../model.ts'
import { listDestinations as listRows } from '../store.ts'
import { withActivity } from '../with-activity.ts'

export const listDestinations = endpoint({
  id: 'listDestinations',
  method: 'GET',
  path: '/projects/{projectIdOrName}/destinations',
  access: 'view',
  summary: 'List the destinations of a project.',
  description: 'Oldest first. URLs and headers are masked.',
  tag: 'Destinations',
  params: ProjectPath,
  query: Type.Object(PageQuery),
  reply: { 200: Type.Array(Destination) },
  run: async (input, { keyring }: { keyring: Keyring }) => {
    const { items, headers } = await pageOf(input, {
      list: (page) => listRows(input.db, page),
      keyOf: ({ id }) => id,
    })
    const shown = items.map((row) => destinationResource(keyring, row))
    return reply(200, await withActivity(input.db, shown), headers)
  },
})
