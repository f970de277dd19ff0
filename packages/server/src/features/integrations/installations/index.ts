import { createInstallation } from './endpoints/create-installation.ts'
import { deleteInstallation } from './endpoints/delete-installation.ts'
import { getInstallation } from './endpoints/get-installation.ts'
import { listConfigs } from './endpoints/list-configs.ts'
import { listFailingInstallations } from './endpoints/list-failing-installations.ts'
import { listInstallations } from './endpoints/list-installations.ts'
import { listInstallationsForProject } from './endpoints/list-installations-for-project.ts'
import { patchObjectConfigContent } from './endpoints/patch-object-config-content.ts'
import { updateInstallation } from './endpoints/update-installation.ts'

export { installAutomatically } from './automatic-install.ts'
export { answeredContent, ConfigContent, type ReadConfigObject, type WriteConfigObject } from './content.ts'
export {
  type EffectiveReadObject,
  effectiveReadObjects,
  type FieldMapping,
  overlay,
  requestedFields,
} from './effective.ts'
export { countFailures, countInstallations } from './failing-store.ts'
export { type FailureReason, FailureReasonSchema, failureReasons } from './failures.ts'
export { forgetAuthor } from './forget-author.ts'
export { furtherOfPreview } from './further-issues.ts'
export { connectionStatusReached, healthStatus, refreshHealth } from './health.ts'
export type { InstallationHooks } from './hooks.ts'
export { type PlannedRead, planRead } from './planned-read.ts'
export { InstallationNotFound } from './problems.ts'
export { type HealthStatus, type InstallationRecord, type InstallationRow, installationResource } from './resource.ts'
export {
  filterOf as installationFilterOf,
  findInstallation,
  findInstallationOfGroup,
  findInstallationRow,
  findInstallations,
  hasAlwaysIntegrations,
  installationOf,
  listInstallationsOfGroup,
  lockInstallation,
} from './store.ts'
export { listInstallationSummaries } from './summary-store.ts'
export { type Uninstalled, uninstall } from './uninstall.ts'

export const installationsEndpoints = [
  createInstallation,
  listInstallations,
  listInstallationsForProject,
  listFailingInstallations,
  getInstallation,
  updateInstallation,
  deleteInstallation,
  patchObjectConfigContent,
  listConfigs,
]
