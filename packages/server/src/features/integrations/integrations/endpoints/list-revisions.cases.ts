import { casesOf } from '../../../../testkit/cases.ts'
import { listRevisions } from './list-revisions.ts'

export const cases = casesOf(listRevisions, {
  request: { query: { pageSize: '10' } },
  status: 200,
})
