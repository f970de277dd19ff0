import { casesOf } from '../../../../testkit/cases.ts'
import { project } from '../../../../testkit/world.ts'
import { oauthUpdate } from './oauth-update.ts'

export const cases = casesOf(oauthUpdate, {
  // The connection of the tenant authenticates by a key.
  status: 400,
  example: {
    status: 200,
    request: async ({ make }) => {
      const { id } = await make('POST', `${project}/connections:generate`, {
        groupRef: 'by-oauth',
        consumerRef: 'ada',
        provider: 'salesforce',
        providerWorkspaceRef: 'acme',
        oauth2AuthorizationCode: { accessToken: { token: 'an-access-token' } },
      })
      return { params: { connectionId: id } }
    },
  },
})
