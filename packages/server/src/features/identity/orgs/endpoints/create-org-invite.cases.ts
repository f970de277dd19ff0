import { newId } from '../../../../kernel/db/index.ts'
import { casesOf } from '../../../../testkit/cases.ts'
import { createOrgInvite } from './create-org-invite.ts'

export const cases = casesOf(createOrgInvite, {
  request: () => ({ body: { email: `${newId()}@nowhere.example` } }),
  status: 201,
  example: { request: { body: { email: 'ada@acme.example', role: 'operator' } } },
})
