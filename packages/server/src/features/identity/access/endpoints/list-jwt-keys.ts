import { Type } from 'typebox'
import { endpoint, ProjectPath, reply } from '../../../../kernel/http/index.ts'
import { jwtKeyResource } from '../jwt-key-resource.ts'
import { listJwtKeyRows } from '../jwt-key-store.ts'
import { JwtKey } from '../model.ts'
import { activeFilter } from './list-api-keys.ts'

export const listJWTKeys = endpoint({
  id: 'listJWTKeys',
  method: 'GET',
  path: '/projects/{projectIdOrName}/jwt-keys',
  access: 'view',
  summary: 'List the JWT keys of the project, oldest first.',
  tag: 'JWT keys',
  params: ProjectPath,
  query: activeFilter,
  reply: { 200: Type.Array(JwtKey) },
  run: async ({ db, query }) => {
    const rows = await listJwtKeyRows(db, { active: query.active === true })
    return reply(200, rows.map(jwtKeyResource))
  },
})
