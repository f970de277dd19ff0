import { casesOf } from '../../../../testkit/cases.ts'
import { redriveDeadLetters } from './redrive-dead-letters.ts'

// A message of another state: the dead letter of the tenant stays for other requests.
export const cases = casesOf(redriveDeadLetters, {
  request: (ids) => ({ body: { deadLetterIds: [ids.messageId] } }),
  status: 202,
})
