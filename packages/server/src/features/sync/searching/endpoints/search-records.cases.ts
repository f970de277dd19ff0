import { casesOf } from '../../../../testkit/cases.ts'
import { searchRecords } from './search-records.ts'

export const cases = casesOf(searchRecords, {
  request: (ids) => ({
    query: { groupRef: ids.groupRef },
    body: { objectName: ids.objectName, fieldFilters: [{ fieldName: 'stage', operator: 'eq', value: 'lead' }] },
  }),
  status: 200,
})
