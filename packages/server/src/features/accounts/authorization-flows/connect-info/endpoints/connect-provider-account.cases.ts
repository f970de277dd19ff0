import { casesOf } from '../../../../../testkit/cases.ts'
import { connectProviderAccount } from './connect-provider-account.ts'

export const cases = casesOf(connectProviderAccount, {
  request: ({ groupRef }) => ({
    body: { scheme: 'no-such-scheme', values: { apiKey: 'k' }, groupRef, consumerRef: 'a-person' },
  }),
  status: 400,
  createsGroup: true,
  example: {
    status: 200,
    request: ({ crm }) => ({
      body: {
        scheme: 'apiKey',
        values: { apiKey: crm.apiKey, 'providerMetadata.url': crm.url },
        groupRef: 'components',
        consumerRef: 'ada',
      },
    }),
  },
})
