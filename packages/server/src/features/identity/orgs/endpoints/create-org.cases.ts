import { casesOf } from '../../../../testkit/cases.ts'
import { createOrg } from './create-org.ts'

export const cases = casesOf(createOrg, {
  request: { body: { label: 'Another' } },
  status: 201,
  namesNoIds: true,
  example: { request: { body: { label: 'Acme Labs' } } },
})
