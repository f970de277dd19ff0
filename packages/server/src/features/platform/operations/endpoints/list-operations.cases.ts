import { casesOf } from '../../../../testkit/cases.ts'
import { listOperations } from './list-operations.ts'

export const cases = casesOf(listOperations, {
  request: { query: { pageSize: '10' } },
  status: 200,
})
