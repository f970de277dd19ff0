import { Type } from 'typebox'
import { endpoint, ProjectPath, pageOf, reply } from '../../../../kernel/http/index.ts'
import { Installation, installationResource } from '../resource.ts'
import { filterOf, listInstallationRows } from '../store.ts'
import { groupRefFilter } from './list-installations.ts'

export const listInstallationsForProject = endpoint({
  id: 'listInstallationsForProject',
  method: 'GET',
  path: '/projects/{projectIdOrName}/installations',
  access: 'frontendView',
  session: 'install',
  summary: 'List the installations of all integrations, newest first.',
  tag: 'Installations',
  params: ProjectPath,
  query: groupRefFilter,
  reply: { 200: Type.Array(Installation) },
  run: async (input) => {
    const { db, query, confinedTo } = input
    const { items, headers } = await pageOf(input, {
      list: (page) => listInstallationRows(db, { ...query, ...filterOf(confinedTo) }, page),
      keyOf: ({ id }) => id,
    })
    return reply(200, items.map(installationResource), headers)
  },
})
