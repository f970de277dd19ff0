import { casesOf } from '../../../../testkit/cases.ts'
import { checkClaimedDomain } from './check-claimed-domain.ts'

export const cases = casesOf(checkClaimedDomain, {
  request: { query: { domain: 'unclaimed.example' } },
  status: 404,
  namesNoIds: true,
  example: { status: 200, request: { query: { domain: 'mail.acme.example' } } },
})
