import { casesOf } from '../../../../testkit/cases.ts'
import { verifyClaimedDomain } from './verify-claimed-domain.ts'

export const cases = casesOf(verifyClaimedDomain, { status: 200 })
