import { casesOf } from '../../../../testkit/cases.ts'
import { updateDestination } from './update-destination.ts'

export const cases = casesOf(updateDestination, {
  request: {
    body: {
      updateMask: ['metadata.headers'],
      destination: { metadata: { headers: { 'X-Tenant': 'b' } } },
    },
  },
  status: 200,
})
