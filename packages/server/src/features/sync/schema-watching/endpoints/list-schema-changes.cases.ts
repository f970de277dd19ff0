import { casesOf } from '../../../../testkit/cases.ts'
import { listSchemaChanges } from './list-schema-changes.ts'

export const cases = casesOf(listSchemaChanges, {
  request: (ids) => ({ query: { objectName: ids.objectName, pageSize: '10' } }),
  status: 200,
})
