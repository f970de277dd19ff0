import { casesOf } from '../../../../testkit/cases.ts'
import { updateDeadLetter } from './update-dead-letter.ts'

export const cases = casesOf(updateDeadLetter, {
  request: { body: { records: [{ id: '1', fields: { size: 7 } }] } },
  status: 200,
})
