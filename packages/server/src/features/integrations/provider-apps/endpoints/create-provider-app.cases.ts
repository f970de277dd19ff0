import { casesOf } from '../../../../testkit/cases.ts'
import { createProviderApp } from './create-provider-app.ts'

export const cases = casesOf(createProviderApp, {
  request: {
    body: {
      provider: 'salesforce',
      clientId: 'a-client',
      clientSecret: 'a-client-secret',
      externalRef: 'an-app',
      scopes: [['api'], 'refresh_token'],
      metadata: {
        authQueryParams: { prompt: ['login'] },
        providerParams: { packageInstallURL: 'https://example.com' },
      },
    },
  },
  status: 200,
})
