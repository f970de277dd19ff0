import { getHydratedRevision } from './endpoints/get-hydrated-revision.ts'
import { getObjectMetadataForConnection } from './endpoints/get-object-metadata-for-connection.ts'
import { getObjectMetadataForInstallation } from './endpoints/get-object-metadata-for-installation.ts'
import { upsertMetadataForConnection } from './endpoints/upsert-metadata-for-connection.ts'
import { upsertMetadataForInstallation } from './endpoints/upsert-metadata-for-installation.ts'

export { askProvider, callProvider } from './ask-provider.ts'
export { type Described, type DescribeServices, describeObject, describeObjects } from './describe-objects.ts'
export { FieldMetadata, ObjectMetadata } from './model.ts'

export const objectMetadataEndpoints = [
  getHydratedRevision,
  getObjectMetadataForInstallation,
  getObjectMetadataForConnection,
  upsertMetadataForInstallation,
  upsertMetadataForConnection,
]
