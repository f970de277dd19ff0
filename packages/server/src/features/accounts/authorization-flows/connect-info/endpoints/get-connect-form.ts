import { Type } from 'typebox'
import { endpoint, InvalidInput, Path, ProjectPath, Ref, reply } from '../../../../../kernel/http/index.ts'
import { ProviderNotFound } from '../../../../integrations/catalogue/index.ts'
import { ConnectionNotFound } from '../../../connections/index.ts'
import { formOf } from '../form-resource.ts'
import { ConnectForm, WhoFields } from '../model.ts'
import { connectTarget, type TargetServices } from '../target.ts'

export const getConnectForm = endpoint({
  id: 'getConnectForm',
  method: 'GET',
  path: '/projects/{projectIdOrName}/connect-info/providers/{provider}',
  access: 'frontendView',
  session: 'read',
  summary: 'Get the fields that a customer fills in to connect an account.',
  description: 'The same fields that the connect page shows, for every authentication method that the project can use.',
  tag: 'Connections',
  extension: true,
  params: Path({ ...ProjectPath.properties, provider: Ref }),
  query: Type.Object({
    connectionId: Type.Optional(
      Type.String({ maxLength: 200, description: 'The connection that gets a new credential.' }),
    ),
    ...WhoFields,
  }),
  reply: { 200: ConnectForm },
  problems: [InvalidInput, ProviderNotFound, ConnectionNotFound],
  run: async ({ db, params: { provider }, query, caller, confinedTo }, services: TargetServices) => {
    const { connectionId, groupRef, consumerRef } = query
    const asked = { caller, confinedTo, groupRef, consumerRef, provider, connectionId }
    const { options, purpose } = await connectTarget(db, services, asked, 'query')
    return reply(200, await formOf(db, options, purpose.providerAppId))
  },
})
