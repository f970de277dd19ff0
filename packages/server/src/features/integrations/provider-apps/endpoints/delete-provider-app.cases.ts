import { casesOf } from '../../../../testkit/cases.ts'
import { project } from '../../../../testkit/world.ts'
import { deleteProviderApp } from './delete-provider-app.ts'

export const cases = casesOf(deleteProviderApp, {
  status: 404,
  example: {
    status: 204,
    request: async ({ make }) => {
      const body = { provider: 'salesforce', clientId: 'old', clientSecret: 'an-old-secret' }
      return { params: { providerAppId: (await make('POST', `${project}/provider-apps`, body)).id } }
    },
  },
})
