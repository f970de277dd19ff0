import { createProject } from './operations/create-project.ts'
import { getProject } from './operations/get-project.ts'
import { listProjects } from './operations/list-projects.ts'
import { updateProject } from './operations/update-project.ts'

export { Project, projectResource } from './model.ts'
export { ensureProject, findAppName, listProjectsOf } from './store.ts'

export const projectsOperations = [listProjects, createProject, getProject, updateProject]
