import { isId } from '../../../../kernel/db/index.ts'
import { endpoint, Path, ProjectPath, Ref, reply } from '../../../../kernel/http/index.ts'
import { Operation } from '../model.ts'
import { OperationNotFound } from '../problems.ts'
import { findOperation } from '../store.ts'

export const getOperation = endpoint({
  id: 'getOperation',
  method: 'GET',
  path: '/projects/{projectIdOrName}/operations/{operationId}',
  access: 'view',
  summary: 'Get an operation.',
  tag: 'Operations',
  params: Path({ ...ProjectPath.properties, operationId: Ref }),
  reply: { 200: Operation },
  problems: [OperationNotFound],
  run: async ({ db, params }) => {
    const found = isId(params.operationId) ? await findOperation(db, params.operationId) : undefined
    if (!found) throw new OperationNotFound()
    return reply(200, found)
  },
})
