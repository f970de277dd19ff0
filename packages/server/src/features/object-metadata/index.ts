import { getHydratedRevision } from './operations/get-hydrated-revision.ts'
import { getObjectMetadataForConnection } from './operations/get-object-metadata-for-connection.ts'
import { getObjectMetadataForInstallation } from './operations/get-object-metadata-for-installation.ts'

export { type Described, type DescribeServices, describeObject, describeObjects } from './describe-objects.ts'
export { FieldMetadata, ObjectMetadata } from './model.ts'
export { providerFailure } from './provider-failure.ts'

export const objectMetadataOperations = [
  getHydratedRevision,
  getObjectMetadataForInstallation,
  getObjectMetadataForConnection,
]
