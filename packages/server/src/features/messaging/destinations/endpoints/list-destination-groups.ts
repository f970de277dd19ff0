import { Type } from 'typebox'
import { endpoint, PageQuery, Path, ProjectPath, pageOf, Ref, reply } from '../../../../kernel/http/index.ts'
import { DestinationGroup, destinationGroup, findByGroup } from '../group-resource.ts'
import { listDestinationGroupRows } from '../group-store.ts'
import { DestinationNotByGroup, DestinationNotFound } from '../problems.ts'

export const listDestinationGroups = endpoint({
  id: 'listDestinationGroups',
  method: 'GET',
  path: '/projects/{projectIdOrName}/destinations/{destination}/groups',
  access: 'view',
  summary: 'List the destinations of groups, sorted by ref.',
  description: 'Of a destination of type `by-group`. Groups that are not in the list have its default.',
  tag: 'Destinations',
  extension: true,
  params: Path({ ...ProjectPath.properties, destination: Ref }),
  query: Type.Object(PageQuery),
  reply: { 200: Type.Array(DestinationGroup) },
  problems: [DestinationNotFound, DestinationNotByGroup],
  run: async (input) => {
    const { id } = await findByGroup(input.db, input.params.destination)
    const { items, headers } = await pageOf(input, {
      list: (page) => listDestinationGroupRows(input.db, id, page),
      keyOf: ({ group_ref: ref }) => ref,
      isKey: () => true,
    })
    return reply(200, items.map(destinationGroup), headers)
  },
})
