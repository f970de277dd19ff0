import { casesOf } from '../../../../testkit/cases.ts'
import { getProblemPage } from './get-problem-page.ts'

export const cases = casesOf(getProblemPage, {
  status: 404,
  example: { status: 200, request: { params: { code: 'invalid-input' } } },
})
