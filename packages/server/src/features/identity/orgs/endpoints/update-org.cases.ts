import { casesOf } from '../../../../testkit/cases.ts'
import { updateOrg } from './update-org.ts'

export const cases = casesOf(updateOrg, {
  request: { body: { updateMask: ['label'], org: { label: 'Renamed' } } },
  status: 200,
  example: { request: { body: { updateMask: ['label'], org: { label: 'Acme' } } } },
})
