import { casesOf } from '../../../../testkit/cases.ts'
import { pauseReads } from './pause-reads.ts'

export const cases = casesOf(pauseReads, {
  request: (ids) => ({ body: { objects: [ids.objectName], note: 'a note' } }),
  status: 204,
})
