import { Empty, endpoint, Path, ProjectPath, Ref, reply } from '../../../../kernel/http/index.ts'
import type { Services } from '../../../../services.ts'
import { erase } from '../erase.ts'
import { GroupNotFound } from '../problems.ts'

export const deleteGroup = endpoint({
  id: 'deleteGroup',
  method: 'DELETE',
  path: '/projects/{projectIdOrName}/groups/{groupRef}',
  access: 'full',
  summary: 'Delete a group and all its data.',
  description:
    'Deletes its installations, connections and credentials immediately. Messages (delivered or not), operations and logs are erased right after. Notifications of the deletion itself are still delivered.',
  tag: 'Groups and consumers',
  extension: true,
  params: Path({ ...ProjectPath.properties, groupRef: Ref }),
  reply: { 204: Empty },
  problems: [GroupNotFound],
  run: async ({ db, params }, services: Pick<Services, 'hooks' | 'newId' | 'queue'>) => {
    const { groupRef } = params
    if (!(await db.transaction((tx) => erase(tx, services, { groupRef })))) throw new GroupNotFound()
    return reply(204, null)
  },
})
