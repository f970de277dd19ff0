import { casesOf } from '../../../../testkit/cases.ts'
import { getReferencePage } from './get-reference-page.ts'

export const cases = casesOf(getReferencePage, {
  status: 404,
  example: { status: 200, request: { params: { page: 'integrations' } } },
})
