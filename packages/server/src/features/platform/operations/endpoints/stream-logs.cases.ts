import { casesOf } from '../../../../testkit/cases.ts'
import { followStream } from '../../../../testkit/follow-stream.ts'
import { project } from '../../../../testkit/world.ts'
import { streamLogs } from './stream-logs.ts'

export const cases = casesOf(streamLogs, {
  request: (ids) => ({ query: { installationId: ids.installationId } }),
  status: 200,
  example: {
    request: ({ app, make }) =>
      followStream(app, `${project}/logs:stream`, () =>
        make('POST', `${project}/integrations/acme/objects/contacts`, { groupRef: 'acme-group', mode: 'async' }),
      ),
  },
})
