import { casesOf } from '../../../../testkit/cases.ts'
import { updateConnection } from './update-connection.ts'

export const cases = casesOf(updateConnection, {
  request: (_, crmUrl) => ({
    body: {
      updateMask: ['providerMetadata'],
      connection: { apiKey: 'ignored', providerMetadata: { url: { value: crmUrl, source: 'input' } } },
    },
  }),
  status: 200,
  usesSpareGroup: true,
})
