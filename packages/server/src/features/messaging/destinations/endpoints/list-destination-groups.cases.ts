import { casesOf } from '../../../../testkit/cases.ts'
import { project } from '../../../../testkit/world.ts'
import { listDestinationGroups } from './list-destination-groups.ts'

// The destination of the tenant is a webhook.
export const cases = casesOf(listDestinationGroups, {
  status: 422,
  example: {
    status: 200,
    request: async ({ make, tenant }) => {
      await make('POST', `${project}/destinations`, { name: 'crm-listed', type: 'by-group', metadata: {} })
      const path = `${project}/destinations/crm-listed/groups/${tenant.ids.groupRef}`
      await make('PUT', path, { destination: tenant.ids.destination })
      return { params: { destination: 'crm-listed' } }
    },
  },
})
