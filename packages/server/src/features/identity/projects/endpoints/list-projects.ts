import { Type } from 'typebox'
import type { Database } from '../../../../kernel/db/index.ts'
import { endpoint, PageQuery, pageOf, reply } from '../../../../kernel/http/index.ts'
import { Project, projectResource } from '../model.ts'
import { getProjectRow, listProjectsOf } from '../store.ts'

export const listProjects = endpoint({
  id: 'listProjects',
  method: 'GET',
  path: '/projects',
  access: 'account',
  summary: 'List the projects that the credential can access.',
  description:
    'An API key belongs to one project, so the list has only that one. A builder sees the projects of all organizations where they have a role, by name.',
  tag: 'Projects',
  query: Type.Object(PageQuery),
  reply: { 200: Type.Array(Project) },
  run: async (input, { database }: { database: Database }) => {
    const { caller, project } = input
    if (caller.kind !== 'builder')
      return reply(200, project ? [projectResource(await getProjectRow(database.forProject(project.id)))] : [])
    const { items, headers } = await pageOf(input, {
      list: (page) => listProjectsOf(database.system, caller.builderId, page),
      // A project that is renamed meanwhile may come twice or not: only that one.
      keyOf: ({ name }) => name,
      isKey: () => true,
    })
    return reply(200, items.map(projectResource), headers)
  },
})
