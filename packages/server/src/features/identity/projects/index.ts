import { createProject } from './endpoints/create-project.ts'
import { getProject } from './endpoints/get-project.ts'
import { listProjects } from './endpoints/list-projects.ts'
import { updateProject } from './endpoints/update-project.ts'

export { Project, projectResource } from './model.ts'
export { ensureProject, findAppName, listProjectsOf } from './store.ts'

export const projectsEndpoints = [listProjects, createProject, getProject, updateProject]
