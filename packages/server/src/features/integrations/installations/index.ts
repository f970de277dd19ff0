import { createInstallation } from './operations/create-installation.ts'
import { deleteInstallation } from './operations/delete-installation.ts'
import { getInstallation } from './operations/get-installation.ts'
import { listInstallations } from './operations/list-installations.ts'
import { listInstallationsForProject } from './operations/list-installations-for-project.ts'
import { patchObjectConfigContent } from './operations/patch-object-config-content.ts'
import { updateInstallation } from './operations/update-installation.ts'

export { installAutomatically } from './automatic-install.ts'
export { answeredContent, type ConfigContent, type ReadConfigObject, type WriteConfigObject } from './content.ts'
export {
  type EffectiveReadObject,
  effectiveReadObjects,
  type FieldMapping,
  overlay,
  requestedFields,
} from './effective.ts'
export { connectionStatusReached, healthStatus, refreshHealth } from './health.ts'
export { CapabilityNotImplemented, InstallationNotFound } from './problems.ts'
export { type HealthStatus, type InstallationRecord, type InstallationRow, installationResource } from './resource.ts'
export { findInstallation, findInstallationOfGroup, lockInstallation } from './store.ts'
export { type Uninstalled, uninstall } from './uninstall.ts'

export const installationsOperations = [
  createInstallation,
  listInstallations,
  listInstallationsForProject,
  getInstallation,
  updateInstallation,
  deleteInstallation,
  patchObjectConfigContent,
]
