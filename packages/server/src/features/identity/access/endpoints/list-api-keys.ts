import { Type } from 'typebox'
import { endpoint, ProjectPath, reply } from '../../../../kernel/http/index.ts'
import { listedApiKey } from '../api-key-resource.ts'
import { ApiKey } from '../model.ts'
import { listApiKeyRows } from '../store.ts'

export const activeFilter = Type.Object({
  active: Type.Optional(Type.Boolean({ default: false, description: 'Whether to list only keys that work.' })),
})

export const listApiKeys = endpoint({
  id: 'listApiKeys',
  method: 'GET',
  path: '/projects/{projectIdOrName}/api-keys',
  access: 'view',
  summary: 'List the API keys of the project, oldest first.',
  description: '`key` is only the hint of each key. Get one key to see it.',
  tag: 'API keys',
  params: ProjectPath,
  query: activeFilter,
  reply: { 200: Type.Array(ApiKey) },
  run: async ({ db, query }) => {
    const rows = await listApiKeyRows(db, { active: query.active === true })
    return reply(200, rows.map(listedApiKey))
  },
})
