import type { NewId, ProjectDb } from '../../../../kernel/db/index.ts'
import { endpoint, InvalidInput, maySeeSecrets, ProjectPath, reply } from '../../../../kernel/http/index.ts'
import type { AddressGuard } from '../../../../kernel/net/index.ts'
import {
  CredentialNotImplemented,
  checkedConnection,
  furtherIssues,
  GenerateConnectionRequest,
  type NewConnection,
} from '../../connection-inputs/index.ts'
import { assertTokenHost } from '../assert-token-host.ts'
import { type CheckedAfterwardsServices, checkedAfterwards, VerifyQuery } from '../checked-afterwards.ts'
import { ConnectionNotFound } from '../problems.ts'
import { Connection, type ConnectionRow, connectionResource } from '../resource.ts'
import { createConnection, saveConnection } from '../service.ts'
import { findConnection } from '../store.ts'

type Services = CheckedAfterwardsServices & { newId: NewId; guard: AddressGuard }

export const generateConnection = endpoint({
  id: 'generateConnection',
  method: 'POST',
  path: '/projects/{projectIdOrName}/connections:generate',
  access: 'frontendOperate',
  summary: 'Connect an account with a credential.',
  description:
    'The same account (provider, group, consumer and workspace) is updated and keeps its id. The credential is checked right after the response, or before it with `verify=true`. A bad credential does not prevent the connection; see `status`.',
  tag: 'Connections',
  audit: { verb: 'create', resource: 'connection' },
  params: ProjectPath,
  query: VerifyQuery,
  body: GenerateConnectionRequest,
  reply: { 201: Connection },
  problems: [InvalidInput, ConnectionNotFound, CredentialNotImplemented],
  moreIssues: furtherIssues,
  run: async ({ db, body, query, caller, signal, note, entryRow }, services: Services) => {
    const connection = checkedConnection(services, body)
    await assertTokenHost(db, services, connection)
    const wait = query.verify === true
    const created = wait ? undefined : await createConnection(db, services, connection, entryRow())
    if (created) note({ outcome: 'stored' })
    const row = created ?? (await save(db, services, { connection, wait, signal }))
    // The caller has just sent these secrets, but callers without access to secrets do not get them back either.
    const echo = maySeeSecrets(caller)
    return reply(
      201,
      connectionResource(row, connection.credential, { apiKey: echo, accessToken: echo, refreshToken: echo }),
    )
  },
})

/** Stores a connection in a transaction, with what follows from it. */
async function save(
  db: ProjectDb,
  services: Services,
  { connection, wait, signal }: { connection: NewConnection; wait: boolean; signal: AbortSignal },
): Promise<ConnectionRow> {
  let row: ConnectionRow | undefined
  const id = await checkedAfterwards(db, services, { wait, signal }, async (tx) => {
    const saved = await saveConnection(tx, services, connection)
    // Read it here: the check runs right after the commit and may finish before the response.
    row = await findConnection(tx, saved)
    return saved
  })
  if (wait) row = await findConnection(db, id)
  if (!row) throw new ConnectionNotFound()
  return row
}
