import { casesOf } from '../../../../testkit/cases.ts'
import { discardDeadLetters } from './discard-dead-letters.ts'

// A message of another state: the dead letter of the tenant stays for other requests.
export const cases = casesOf(discardDeadLetters, {
  request: (ids) => ({ body: { deadLetterIds: [ids.messageId] } }),
  status: 200,
})
