import { Type } from 'typebox'
import { operation, reply } from '../../../kernel/http/index.ts'
import { Project, projectResource } from '../model.ts'
import { getProjectRow } from '../store.ts'

export const listProjects = operation({
  id: 'listProjects',
  method: 'GET',
  path: '/projects',
  access: 'full',
  summary: 'Lists the projects that the credential can reach.',
  description: 'An API key belongs to one project: the list has that one.',
  tag: 'Projects',
  reply: { 200: Type.Array(Project) },
  run: async ({ db }) => reply(200, [projectResource(await getProjectRow(db))]),
})
