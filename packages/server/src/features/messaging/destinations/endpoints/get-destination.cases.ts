import { casesOf } from '../../../../testkit/cases.ts'
import { getDestination } from './get-destination.ts'

export const cases = casesOf(getDestination, {
  request: { query: { includeSecrets: 'false' } },
  status: 200,
  unsafeQuery: ['rotate'],
  example: { request: { query: { includeSecrets: 'true' } } },
})
