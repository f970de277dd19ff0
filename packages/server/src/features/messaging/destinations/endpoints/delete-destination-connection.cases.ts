import { casesOf } from '../../../../testkit/cases.ts'
import { project } from '../../../../testkit/world.ts'
import { deleteDestinationConnection } from './delete-destination-connection.ts'

// The destination of the tenant is a webhook.
export const cases = casesOf(deleteDestinationConnection, {
  status: 404,
  example: {
    status: 204,
    request: async ({ make, tenant }) => {
      await make('POST', `${project}/destinations`, { name: 'crm-disconnected', type: 'by-group', metadata: {} })
      const { connectionId, destination } = tenant.ids
      await make('PUT', `${project}/destinations/crm-disconnected/connections/${connectionId}`, { destination })
      return { params: { destination: 'crm-disconnected', connectionId } }
    },
  },
})
