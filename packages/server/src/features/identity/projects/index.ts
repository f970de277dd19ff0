import { createProject } from './endpoints/create-project.ts'
import { getProject } from './endpoints/get-project.ts'
import { listProjects } from './endpoints/list-projects.ts'
import { updateProject } from './endpoints/update-project.ts'

export { ConnectSettings } from './connect-settings.ts'
export { Project, type ProjectRow, projectResource } from './model.ts'
export { findOrg, insertOrg, lockOrg, type OrgRow, updateOrgRow } from './org-store.ts'
export {
  ensureProject,
  findAppName,
  findOrgOfProject,
  findProjectRow,
  getProjectRow,
  listProjectsOf,
  shownAppName,
} from './store.ts'
export { roleOf, type StoredRole, storedRole } from './stored-role.ts'

export const projectsEndpoints = [listProjects, createProject, getProject, updateProject]
