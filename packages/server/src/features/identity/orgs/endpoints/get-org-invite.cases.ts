import { casesOf } from '../../../../testkit/cases.ts'
import { getOrgInvite } from './get-org-invite.ts'

export const cases = casesOf(getOrgInvite, { status: 200 })
