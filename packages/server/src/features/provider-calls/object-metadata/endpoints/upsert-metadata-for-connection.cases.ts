import { casesOf } from '../../../../testkit/cases.ts'
import { upsertMetadataForConnection } from './upsert-metadata-for-connection.ts'

export const cases = casesOf(upsertMetadataForConnection, {
  request: (ids) => ({
    body: {
      groupRef: ids.groupRef,
      fields: { [ids.objectName]: [{ fieldName: 'level', displayName: 'Level', valueType: 'int' }] },
    },
  }),
  status: 200,
})
