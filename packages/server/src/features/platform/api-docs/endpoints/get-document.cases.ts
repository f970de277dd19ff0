import { casesOf } from '../../../../testkit/cases.ts'
import { getDocument } from './get-document.ts'

export const cases = casesOf(getDocument, {
  status: 404,
  example: { status: 200, request: { params: { page: 'proxy' } } },
  refused: { status: 404, request: { params: { page: 'no-such-page' } } },
})
