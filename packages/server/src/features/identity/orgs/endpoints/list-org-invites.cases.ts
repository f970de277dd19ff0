import { casesOf } from '../../../../testkit/cases.ts'
import { listOrgInvites } from './list-org-invites.ts'

export const cases = casesOf(listOrgInvites, { status: 200 })
