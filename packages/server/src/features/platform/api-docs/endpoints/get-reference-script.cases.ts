import { casesOf } from '../../../../testkit/cases.ts'
import { pageScript } from '../pages/page-script.ts'
import { getReferenceScript } from './get-reference-script.ts'

export const cases = casesOf(getReferenceScript, {
  status: 404,
  example: { status: 200, request: { params: { script: pageScript().name } } },
  refused: { status: 404, request: { params: { script: 'page-0000000000000000.js' } } },
})
