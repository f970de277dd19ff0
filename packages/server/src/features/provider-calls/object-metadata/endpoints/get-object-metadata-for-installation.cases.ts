import { casesOf } from '../../../../testkit/cases.ts'
import { getObjectMetadataForInstallation } from './get-object-metadata-for-installation.ts'

export const cases = casesOf(getObjectMetadataForInstallation, {
  request: (ids) => ({ query: { groupRef: ids.groupRef, excludeReadOnly: 'false' } }),
  status: 200,
})
