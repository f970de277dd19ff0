import type { NewId } from '../../../../kernel/db/index.ts'
import { Empty, endpoint, Path, ProjectPath, Ref, reply } from '../../../../kernel/http/index.ts'
import type { JobQueue } from '../../../../kernel/jobs/index.ts'
import type { Work } from '../../../../kernel/work/index.ts'
import type { InstallationHooks } from '../../../integrations/installations/index.ts'
import type { ConnectionHooks } from '../../connections/index.ts'
import { ConsumerNotFound } from '../../consumers/index.ts'
import { erase } from '../erase.ts'
import type { ErasureHooks } from '../hooks.ts'

export const deleteConsumer = endpoint({
  id: 'deleteConsumer',
  method: 'DELETE',
  path: '/projects/{projectIdOrName}/consumers/{consumerRef}',
  access: 'develop',
  summary: 'Delete a consumer and all its data.',
  description:
    'Deletes its connections, their credentials and their installations immediately, in every group. Messages (delivered or not), operations and logs are erased right after. Notifications of the deletion itself are still delivered.',
  tag: 'Groups and consumers',
  extension: true,
  params: Path({ ...ProjectPath.properties, consumerRef: Ref }),
  reply: { 204: Empty },
  problems: [ConsumerNotFound],
  run: async (
    { db, params },
    services: { hooks: InstallationHooks & ConnectionHooks & ErasureHooks; newId: NewId; queue: JobQueue; work: Work },
  ) => {
    const { consumerRef } = params
    if (!(await db.transaction((tx) => erase(tx, services, { consumerRef })))) throw new ConsumerNotFound()
    return reply(204, null)
  },
})
