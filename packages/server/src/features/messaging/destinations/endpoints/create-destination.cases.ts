import { newId } from '../../../../kernel/db/index.ts'
import { casesOf } from '../../../../testkit/cases.ts'
import { createDestination } from './create-destination.ts'

export const cases = casesOf(createDestination, {
  request: () => ({
    body: {
      name: `made-${newId()}`,
      type: 'webhook',
      metadata: { url: 'https://203.0.114.5/hooks', headers: { 'X-Tenant': 'a' } },
    },
  }),
  status: 201,
  example: {
    request: ({ receiver }) => ({
      body: { name: 'crm-records', type: 'webhook', metadata: { url: receiver.url, headers: { 'X-Tenant': 'acme' } } },
    }),
  },
})
