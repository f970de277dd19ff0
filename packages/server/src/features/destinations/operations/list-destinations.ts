import { Type } from 'typebox'
import { operation, ProjectPath, reply } from '../../../kernel/http/index.ts'
import { destinationResource } from '../destination-resource.ts'
import { Destination } from '../model.ts'
import { listDestinations as listRows } from '../store.ts'

export const listDestinations = operation({
  id: 'listDestinations',
  method: 'GET',
  path: '/projects/{projectIdOrName}/destinations',
  access: 'full',
  summary: 'List the destinations of a project.',
  description: 'Oldest first.',
  tag: 'Destinations',
  params: ProjectPath,
  reply: { 200: Type.Array(Destination) },
  run: async ({ db }) => reply(200, (await listRows(db)).map(destinationResource)),
})
