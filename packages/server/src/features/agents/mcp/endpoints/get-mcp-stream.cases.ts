import { casesOf } from '../../../../testkit/cases.ts'
import { followStream } from '../../../../testkit/follow-stream.ts'
import { project } from '../../../../testkit/world.ts'
import { getMcpStream } from './get-mcp-stream.ts'

export const cases = casesOf(getMcpStream, {
  request: (ids) => ({ query: { groupRef: ids.groupRef } }),
  status: 200,
  example: {
    request: ({ app, tenant }) =>
      followStream(app, `/../mcp/v1${project}?groupRef=${tenant.ids.groupRef}`, undefined, {
        'last-event-id': 'before',
      }),
  },
})
