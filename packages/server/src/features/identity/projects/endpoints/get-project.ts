import { Type } from 'typebox'
import type { Config } from '../../../../config.ts'
import { endpoint, NotFound, ProjectPath, reply } from '../../../../kernel/http/index.ts'
import { Project, projectResource } from '../model.ts'
import { getProjectRow } from '../store.ts'

export const getProject = endpoint({
  id: 'getProject',
  method: 'GET',
  path: '/projects/{projectIdOrName}',
  access: 'frontendView',
  summary: 'Show a project.',
  tag: 'Projects',
  params: ProjectPath,
  query: Type.Object({
    includeEntitlements: Type.Boolean({ default: false, description: 'Whether `entitlements` is part of the answer.' }),
  }),
  reply: { 200: Project },
  problems: [NotFound],
  run: async ({ db, query }, { config }: { config: Config }) => {
    const project = projectResource(await getProjectRow(db))
    if (query.includeEntitlements)
      project.entitlements = { brandingRemoval: { value: true }, logRetentionDays: { value: config.retentionDays } }
    return reply(200, project)
  },
})
