import type { NewId } from '../../../../kernel/db/index.ts'
import { Empty, endpoint, Path, ProjectPath, Ref, reply } from '../../../../kernel/http/index.ts'
import type { JobQueue } from '../../../../kernel/jobs/index.ts'
import type { Work } from '../../../../kernel/work/index.ts'
import type { InstallationHooks } from '../../../integrations/installations/index.ts'
import type { ConnectionHooks } from '../../connections/index.ts'
import { GroupNotFound } from '../../consumers/index.ts'
import { erase } from '../erase.ts'
import type { ErasureHooks } from '../hooks.ts'

export const deleteGroup = endpoint({
  id: 'deleteGroup',
  method: 'DELETE',
  path: '/projects/{projectIdOrName}/groups/{groupRef}',
  access: 'develop',
  summary: 'Delete a group and all its data.',
  description:
    'Deletes its installations, connections and credentials immediately. Messages (delivered or not), operations and logs are erased right after. Notifications of the deletion itself are still delivered.',
  tag: 'Groups and consumers',
  extension: true,
  params: Path({ ...ProjectPath.properties, groupRef: Ref }),
  reply: { 204: Empty },
  problems: [GroupNotFound],
  run: async (
    { db, params },
    services: { hooks: InstallationHooks & ConnectionHooks & ErasureHooks; newId: NewId; queue: JobQueue; work: Work },
  ) => {
    const { groupRef } = params
    if (!(await db.transaction((tx) => erase(tx, services, { groupRef })))) throw new GroupNotFound()
    return reply(204, null)
  },
})
