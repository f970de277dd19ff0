import { casesOf } from '../../../../testkit/cases.ts'
import { listOrgClaimedDomains } from './list-org-claimed-domains.ts'

export const cases = casesOf(listOrgClaimedDomains, { status: 200 })
