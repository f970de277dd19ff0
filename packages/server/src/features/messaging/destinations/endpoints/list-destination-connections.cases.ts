import { casesOf } from '../../../../testkit/cases.ts'
import { project } from '../../../../testkit/world.ts'
import { listDestinationConnections } from './list-destination-connections.ts'

// The destination of the tenant is a webhook.
export const cases = casesOf(listDestinationConnections, {
  status: 422,
  example: {
    status: 200,
    request: async ({ make, tenant }) => {
      await make('POST', `${project}/destinations`, { name: 'crm-connections', type: 'by-group', metadata: {} })
      const path = `${project}/destinations/crm-connections/connections/${tenant.ids.connectionId}`
      await make('PUT', path, { destination: tenant.ids.destination })
      return { params: { destination: 'crm-connections' } }
    },
  },
})
