import { casesOf } from '../../../../testkit/cases.ts'
import { listRecords } from './list-records.ts'

export const cases = casesOf(listRecords, {
  request: (ids) => ({ query: { groupRef: ids.groupRef, installationId: ids.installationId } }),
  status: 200,
})
