export type { ConfigContent, ReadConfigObject } from './content.ts'
export { type EffectiveReadObject, effectiveReadObjects, type FieldMapping, requestedFields } from './effective.ts'
export { connectionStatusReached, type HealthStatus, healthStatus, refreshHealth } from './health.ts'
export { CapabilityNotImplemented, InstallationNotFound } from './problems.ts'
export { type InstallationRecord, type InstallationRow, installationResource } from './resource.ts'
export { findInstallation, findInstallationOfGroup } from './store.ts'

export const installationsOperations = []
