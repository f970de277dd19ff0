import { casesOf } from '../../../../testkit/cases.ts'
import { project } from '../../../../testkit/world.ts'
import { setDestinationGroup } from './set-destination-group.ts'

// The destination of the tenant is a webhook.
export const cases = casesOf(setDestinationGroup, {
  request: (ids) => ({ body: { destination: ids.destination } }),
  status: 422,
  example: {
    status: 200,
    request: async ({ make, tenant }) => {
      await make('POST', `${project}/destinations`, { name: 'crm-by-group', type: 'by-group', metadata: {} })
      return { params: { destination: 'crm-by-group' }, body: { destination: tenant.ids.destination } }
    },
  },
})
