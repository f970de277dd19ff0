import { getProject } from './operations/get-project.ts'
import { listProjects } from './operations/list-projects.ts'

export { ensureProject } from './store.ts'

export const projectsOperations = [listProjects, getProject]
