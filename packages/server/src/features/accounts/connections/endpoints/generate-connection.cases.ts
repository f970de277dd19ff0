import { casesOf } from '../../../../testkit/cases.ts'
import { generateConnection } from './generate-connection.ts'

export const cases = casesOf(generateConnection, {
  request: (ids, crmUrl) => ({
    body: {
      groupRef: ids.groupRef,
      groupName: 'A group',
      consumerRef: 'a-person',
      consumerName: 'A person',
      provider: 'sampleCrm',
      // The one that the sample CRM takes: from then on this is the newest connection of the group.
      apiKey: 'demo-key',
      providerMetadata: { url: { value: crmUrl, source: 'input' } },
    },
  }),
  status: 201,
  createsGroup: true,
  example: {
    request: ({ crm }) => ({
      body: {
        groupRef: 'globex',
        groupName: 'Globex',
        consumerRef: 'hank',
        consumerName: 'Hank Example',
        provider: 'sampleCrm',
        apiKey: crm.apiKey,
        providerMetadata: { url: { value: crm.url, source: 'input' } },
      },
    }),
  },
})
