import { endpoint, Path, ProjectPath, Ref, reply } from '../../../../kernel/http/index.ts'
import { GroupNotFound } from '../problems.ts'
import { Group, groupResource } from '../resource.ts'
import { findGroup } from '../store.ts'

export const getGroup = endpoint({
  id: 'getGroup',
  method: 'GET',
  path: '/projects/{projectIdOrName}/groups/{groupRef}',
  access: 'view',
  summary: 'Get a group by its ref.',
  tag: 'Groups and consumers',
  extension: true,
  params: Path({ ...ProjectPath.properties, groupRef: Ref }),
  reply: { 200: Group },
  problems: [GroupNotFound],
  run: async ({ db, params }) => {
    const row = await findGroup(db, params.groupRef)
    if (!row) throw new GroupNotFound()
    return reply(200, groupResource(row))
  },
})
