import { casesOf } from '../../../../testkit/cases.ts'
import { replayMessages } from './replay-messages.ts'

export const cases = casesOf(replayMessages, {
  request: (ids) => ({ body: { failedOf: ids.destination } }),
  status: 202,
  example: { request: ({ tenant }) => ({ body: { messageIds: [tenant.ids.messageId] } }) },
})
