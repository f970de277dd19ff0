import { Type } from 'typebox'
import { isId } from '../../../../kernel/db/index.ts'
import { endpoint, Path, ProjectPath, Ref, reply } from '../../../../kernel/http/index.ts'
import { LeastSeverity, severitiesFrom } from '../log-stream.ts'
import { OperationLog } from '../model.ts'
import { OperationNotFound } from '../problems.ts'
import { findOperation, listOperationLogs as listLogs } from '../store.ts'

/** The interface has no paging here, and a log of thousands of lines helps nobody. */
const linesMax = 5_000

export const listOperationLogs = endpoint({
  id: 'listOperationLogs',
  method: 'GET',
  path: '/projects/{projectIdOrName}/operations/{operationId}/logs',
  access: 'view',
  summary: 'List the log of an operation.',
  description: `Oldest first, at most ${linesMax} lines. With the severity \`DEBUG\`, also a line for each page of a read and each request of a write: its details have the request, its status, its time in milliseconds, and the records and messages.`,
  tag: 'Operations',
  params: Path({ ...ProjectPath.properties, operationId: Ref }),
  query: Type.Object({ severity: LeastSeverity }),
  reply: { 200: Type.Array(OperationLog) },
  problems: [OperationNotFound],
  run: async ({ db, params, query }) => {
    const found = isId(params.operationId) ? await findOperation(db, params.operationId) : undefined
    if (!found) throw new OperationNotFound()
    const wanted = { operationId: found.id, severities: severitiesFrom(query.severity) }
    return reply(200, await listLogs(db, wanted, linesMax))
  },
})
