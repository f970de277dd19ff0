import { casesOf } from '../../../../testkit/cases.ts'
import { upsertMetadataForInstallation } from './upsert-metadata-for-installation.ts'

export const cases = casesOf(upsertMetadataForInstallation, {
  request: (ids) => ({
    body: {
      groupRef: ids.groupRef,
      fields: { [ids.objectName]: [{ fieldName: 'tier', displayName: 'Tier', valueType: 'string' }] },
    },
  }),
  status: 200,
})
