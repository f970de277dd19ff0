import { endpoint, InvalidInput, Path, ProjectPath, Ref, reply } from '../../../../kernel/http/index.ts'
import type { AddressGuard } from '../../../../kernel/net/index.ts'
import { UpdateConnectionRequest } from '../../connection-inputs/index.ts'
import { changeConnection } from '../change-connection.ts'
import { type CheckedAfterwardsServices, checkedAfterwards, VerifyQuery } from '../checked-afterwards.ts'
import { ConnectionExists, ConnectionNotFound, CredentialNeeded } from '../problems.ts'
import { Connection, connectionResource } from '../resource.ts'
import { findConnection } from '../store.ts'

export const updateConnection = endpoint({
  id: 'updateConnection',
  method: 'PATCH',
  path: '/projects/{projectIdOrName}/connections/{connectionId}',
  access: 'frontendOperate',
  summary: 'Change the credential, the metadata or the workspace of a connection.',
  description:
    '`updateMask` names what is changed; values that it does not name are ignored. A credential must be of the kind that the connection has, and is checked like that of a new connection. `providerMetadata` replaces all that was there. Front-end keys and consumer tokens that change a value which decides where the credential is sent must send the credential again.',
  tag: 'Connections',
  params: Path({ ...ProjectPath.properties, connectionId: Ref }),
  query: VerifyQuery,
  body: UpdateConnectionRequest,
  reply: { 200: Connection },
  problems: [InvalidInput, CredentialNeeded, ConnectionNotFound, ConnectionExists],
  run: async (
    { db, params, body, query, caller, signal },
    services: CheckedAfterwardsServices & { guard: AddressGuard },
  ) => {
    const connection = { id: params.connectionId, caller }
    const id = await checkedAfterwards(db, services, { wait: query.verify === true, signal }, (tx) =>
      changeConnection(tx, services, connection, body),
    )
    const row = await findConnection(db, id)
    if (!row) throw new ConnectionNotFound()
    return reply(200, connectionResource(row))
  },
})
