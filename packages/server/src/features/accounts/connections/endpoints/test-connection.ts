import { endpoint, Path, ProjectPath, Ref, reply } from '../../../../kernel/http/index.ts'
import { CapabilityNotImplemented, classifyFailure, providerProblem } from '../../../provider-calls/calls/index.ts'
import { verifyWithin } from '../checked-afterwards.ts'
import { ConnectionNotFound } from '../problems.ts'
import { Connection, connectionResource } from '../resource.ts'
import { findConnection } from '../store.ts'
import type { VerifyServices } from '../verify-connection.ts'

export const testConnection = endpoint({
  id: 'testConnection',
  method: 'POST',
  path: '/projects/{projectIdOrName}/connections/{connectionId}:test',
  access: 'operate',
  summary: 'Check the credential of a connection now.',
  description:
    'Sends the request that tests a credential to the provider, waits up to 15 seconds, and returns the connection. `status` and `lastCheck` say what the check found. It changes nothing else. A connection that the provider accepts again works again, and its reads resume.',
  tag: 'Connections',
  extension: true,
  params: Path({ ...ProjectPath.properties, connectionId: Ref }),
  reply: { 200: Connection },
  problems: [ConnectionNotFound, CapabilityNotImplemented],
  run: async ({ db, params, signal }, services: VerifyServices) => {
    const { connectionId } = params
    if (!(await findConnection(db, connectionId))) throw new ConnectionNotFound()
    await verifyWithin(db, services, connectionId, signal).catch((cause: unknown) => {
      const failure = classifyFailure(cause)
      // The provider's file was removed since the account was connected.
      throw failure.kind === 'no_connector' ? (providerProblem(failure, services.now()) ?? cause) : cause
    })
    const row = await findConnection(db, connectionId)
    if (!row) throw new ConnectionNotFound()
    return reply(200, connectionResource(row))
  },
})
