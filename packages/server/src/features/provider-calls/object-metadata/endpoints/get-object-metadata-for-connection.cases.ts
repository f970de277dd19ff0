import { casesOf } from '../../../../testkit/cases.ts'
import { getObjectMetadataForConnection } from './get-object-metadata-for-connection.ts'

export const cases = casesOf(getObjectMetadataForConnection, {
  request: (ids) => ({ query: { groupRef: ids.groupRef, excludeReadOnly: 'true' } }),
  status: 200,
})
