import { Type } from 'typebox'
import { isId } from '../../../../kernel/db/index.ts'
import { endpoint, Path, ProjectPath, Ref, reply } from '../../../../kernel/http/index.ts'
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
  description: `Oldest first, at most ${linesMax} lines.`,
  tag: 'Operations',
  params: Path({ ...ProjectPath.properties, operationId: Ref }),
  reply: { 200: Type.Array(OperationLog) },
  problems: [OperationNotFound],
  run: async ({ db, params }) => {
    const found = isId(params.operationId) ? await findOperation(db, params.operationId) : undefined
    if (!found) throw new OperationNotFound()
    return reply(200, await listLogs(db, found.id, linesMax))
  },
})
