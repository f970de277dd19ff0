import { Type } from 'typebox'
import { endpoint, InvalidInput, ProjectPath, reply } from '../../../../../kernel/http/index.ts'
import { connectInfoOf } from '../connect-info.ts'
import { ConnectInfo, WhoFields } from '../model.ts'
import { type TargetServices, whoOf } from '../target.ts'

export const getConnectInfo = endpoint({
  id: 'getConnectInfo',
  method: 'GET',
  path: '/projects/{projectIdOrName}/connect-info',
  access: 'frontendView',
  session: 'read',
  summary: 'Get all that the first view of a component needs.',
  description:
    'What may be connected and installed, and what the group has. With the token of a connect session, limited to what the session is for. Installations are empty for the purpose `connect`.',
  tag: 'Connections',
  extension: true,
  params: ProjectPath,
  query: Type.Object(WhoFields),
  reply: { 200: ConnectInfo },
  problems: [InvalidInput],
  run: async ({ db, query, caller, confinedTo }, services: TargetServices) => {
    const { groupRef, consumerRef } = query
    const who = await whoOf(db, services, { caller, confinedTo, groupRef, consumerRef }, 'query')
    return reply(200, await connectInfoOf(db, services, { who, confinedTo }))
  },
})
