import { Empty, endpoint, Path, Ref, reply } from '../../../../kernel/http/index.ts'
import type { ConnectionHandles } from '../../../provider-calls/calls/index.ts'
import type { ConnectionHooks } from '../hooks.ts'
import { ConnectionInUse, ConnectionNotFound } from '../problems.ts'
import { removeConnection } from '../service.ts'
import { findConnection } from '../store.ts'

export const deleteConnection = endpoint({
  id: 'deleteConnection',
  method: 'DELETE',
  path: '/projects/{projectIdOrName}/connections/{connectionId}',
  access: 'frontendDevelop',
  session: 'manage',
  summary: 'Delete a connection that no installation uses.',
  tag: 'Connections',
  params: Path({ projectIdOrName: Ref, connectionId: Ref }),
  reply: { 204: Empty },
  problems: [ConnectionNotFound, ConnectionInUse],
  run: async (
    { db, params, confinedTo },
    services: { hooks: ConnectionHooks; connectionHandles: ConnectionHandles },
  ) => {
    if (!(await findConnection(db, params.connectionId, confinedTo))) throw new ConnectionNotFound()
    await db.transaction((tx) => removeConnection(tx, services, params.connectionId))
    services.connectionHandles.forget(db.projectId, params.connectionId)
    return reply(204, null)
  },
})
