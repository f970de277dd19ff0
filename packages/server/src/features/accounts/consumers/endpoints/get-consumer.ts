import { endpoint, Path, ProjectPath, Ref, reply } from '../../../../kernel/http/index.ts'
import { ConsumerNotFound } from '../problems.ts'
import { Consumer, consumerResource } from '../resource.ts'
import { findConsumer } from '../store.ts'

export const getConsumer = endpoint({
  id: 'getConsumer',
  method: 'GET',
  path: '/projects/{projectIdOrName}/consumers/{consumerRef}',
  access: 'view',
  summary: 'Get a consumer by its ref.',
  tag: 'Groups and consumers',
  extension: true,
  params: Path({ ...ProjectPath.properties, consumerRef: Ref }),
  reply: { 200: Consumer },
  problems: [ConsumerNotFound],
  run: async ({ db, params }) => {
    const row = await findConsumer(db, params.consumerRef)
    if (!row) throw new ConsumerNotFound()
    return reply(200, consumerResource(row))
  },
})
