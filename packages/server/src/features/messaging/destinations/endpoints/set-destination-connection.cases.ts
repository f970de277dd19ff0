import { casesOf } from '../../../../testkit/cases.ts'
import { project } from '../../../../testkit/world.ts'
import { setDestinationConnection } from './set-destination-connection.ts'

// The destination of the tenant is a webhook.
export const cases = casesOf(setDestinationConnection, {
  request: (ids) => ({ body: { destination: ids.destination } }),
  status: 422,
  example: {
    status: 200,
    request: async ({ make, tenant }) => {
      await make('POST', `${project}/destinations`, { name: 'crm-by-connection', type: 'by-group', metadata: {} })
      return { params: { destination: 'crm-by-connection' }, body: { destination: tenant.ids.destination } }
    },
  },
})
