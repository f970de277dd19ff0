import { casesOf } from '../../../../testkit/cases.ts'
import { followStream } from '../../../../testkit/follow-stream.ts'
import { project } from '../../../../testkit/world.ts'
import { postMessage } from '../post-message.testkit.ts'
import { streamMessages } from './stream-messages.ts'

export const cases = casesOf(streamMessages, {
  request: (ids) => ({ query: { destination: ids.destination } }),
  status: 200,
  example: {
    request: ({ app, tenant }) =>
      followStream(app, `${project}/messages:stream?destination=${tenant.ids.destination}`, () => postMessage(app)),
  },
})
