import { Type } from 'typebox'
import type { ProjectDb } from '../../../kernel/db/index.ts'
import { InvalidInput, operation, ProjectPath, reply } from '../../../kernel/http/index.ts'
import type { Services } from '../../../services.ts'
import { checkedConnection } from '../checked-connection.ts'
import { verifyConnectionJob } from '../jobs/verify-connection.ts'
import { GenerateConnectionRequest } from '../new-connection.ts'
import { ConnectionNotFound } from '../problems.ts'
import { Connection, connectionResource } from '../resource.ts'
import { saveConnection } from '../service.ts'
import { findConnection } from '../store.ts'
import { verifyConnection } from '../verify-connection.ts'

/** How long `?verify=true` waits for the provider. */
const verifyMostMs = 15_000

export const generateConnection = operation({
  id: 'generateConnection',
  method: 'POST',
  path: '/projects/{projectIdOrName}/connections:generate',
  access: 'frontend',
  summary: 'Connect an account of a provider with a credential that you have.',
  description:
    'The same account (provider, group, consumer and workspace) is updated in place and keeps its id. The credential is checked right after, or, with `verify=true`, before the answer; a bad one never refuses the connection but shows in `status`.',
  tag: 'Connections',
  params: ProjectPath,
  query: Type.Object({
    verify: Type.Optional(
      Type.Boolean({ default: false, description: 'Extension: wait for the check of the credential.' }),
    ),
  }),
  body: GenerateConnectionRequest,
  reply: { 201: Connection },
  problems: [InvalidInput, ConnectionNotFound],
  run: async (
    { db, body, query, caller, signal },
    services: Pick<Services, 'newId' | 'keyring' | 'hooks' | 'queue' | 'catalogue' | 'guard' | 'outbound' | 'now'>,
  ) => {
    const connection = checkedConnection(services, body)
    const check = (tx: ProjectDb, connectionId: string) =>
      services.queue.enqueue(tx, verifyConnectionJob, { projectId: tx.projectId, connectionId }, connectionId)
    const id = await db.transaction(async (tx) => {
      const saved = await saveConnection(tx, services, connection)
      if (!query.verify) await check(tx, saved)
      return saved
    })
    if (query.verify) {
      const limit = AbortSignal.any([signal, AbortSignal.timeout(verifyMostMs)])
      if (!(await verifyConnection(db, services, id, limit))) await check(db, id)
    }
    const row = await findConnection(db, id)
    if (!row) throw new ConnectionNotFound()
    // The caller has just sent these; whoever may not ask for secrets does not get them back either.
    const echo = caller.scope === 'full'
    return reply(
      201,
      connectionResource(row, connection.credential, { apiKey: echo, accessToken: echo, refreshToken: echo }),
    )
  },
})
