import { casesOf } from '../../../../testkit/cases.ts'
import { searchOperations } from './search-operations.ts'

export const cases = casesOf(searchOperations, {
  request: (ids) => ({ query: { pageSize: '10', installationId: ids.installationId, readType: 'backfill' } }),
  status: 200,
})
