import { Type } from 'typebox'
import { authorOf, endpoint, InvalidInput, Path, ProjectPath, Ref, reply } from '../../../../kernel/http/index.ts'
import {
  AuthorizationServerUnavailable,
  AuthorizationServerUnusable,
  type OwnClientServices,
} from '../../authorization-servers/index.ts'
import { ConnectionNotFound, findConnection } from '../../connections/index.ts'
import { beginFlow } from '../begin-flow.ts'
import type { CheckServices } from '../checked-account.ts'
import { checkedReconnect } from '../checked-reconnect.ts'
import { openerOriginOf } from '../opener-origin.ts'

export const oauthUpdate = endpoint({
  id: 'oauthUpdate',
  method: 'PATCH',
  path: '/projects/{projectIdOrName}/connections/{connectionId}:oauth-update',
  access: 'frontendOperate',
  summary: 'Reauthorize a connection: get the URL to open in a browser.',
  description:
    'Like `POST /oauth-connect`, for an existing connection, which keeps its id. Only the browser that opens the URL can finish. Only its own account can authorize it again. Credentials of another account never replace it.',
  tag: 'Connections',
  audit: { verb: 'reconnect', resource: 'connection' },
  params: Path({ ...ProjectPath.properties, connectionId: Ref }),
  produces: 'text/plain; charset=utf-8',
  reply: { 200: Type.String({ description: 'The URL to open in its own window.' }) },
  problems: [InvalidInput, ConnectionNotFound, AuthorizationServerUnusable, AuthorizationServerUnavailable],
  run: async ({ db, params, caller, confinedTo, headers, signal }, services: CheckServices & OwnClientServices) => {
    const connection = await findConnection(db, params.connectionId, confinedTo)
    if (!connection) throw new ConnectionNotFound()
    const url = await beginFlow(db, services, {
      account: await checkedReconnect(db, services, connection),
      purpose: { kind: 'reconnect', connectionId: connection.connection_id },
      bound: true,
      openerOrigin: openerOriginOf(headers),
      askedBy: authorOf(caller),
      signal,
    })
    return reply(200, url, { 'cache-control': 'no-store' })
  },
})
