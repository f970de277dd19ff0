import { casesOf } from '../../../../testkit/cases.ts'
import { project } from '../../../../testkit/world.ts'
import { deleteDestinationGroup } from './delete-destination-group.ts'

export const cases = casesOf(deleteDestinationGroup, {
  status: 404,
  example: {
    status: 204,
    request: async ({ make, tenant }) => {
      await make('POST', `${project}/destinations`, { name: 'crm-unset', type: 'by-group', metadata: {} })
      const { groupRef, destination } = tenant.ids
      await make('PUT', `${project}/destinations/crm-unset/groups/${groupRef}`, { destination })
      return { params: { destination: 'crm-unset', groupRef } }
    },
  },
})
