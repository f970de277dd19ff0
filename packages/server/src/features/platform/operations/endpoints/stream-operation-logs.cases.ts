import { casesOf } from '../../../../testkit/cases.ts'
import { followStream } from '../../../../testkit/follow-stream.ts'
import { project } from '../../../../testkit/world.ts'
import { streamOperationLogs } from './stream-operation-logs.ts'

export const cases = casesOf(streamOperationLogs, {
  request: { query: { severity: 'INFO' } },
  status: 200,
  example: {
    request: async ({ app, tenant }) =>
      followStream(app, `${project}/operations/${tenant.ids.operationId}/logs:stream`),
  },
})
