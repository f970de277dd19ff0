import { casesOf } from '../../../../testkit/cases.ts'
import { getGuide } from './get-guide.ts'

export const cases = casesOf(getGuide, {
  status: 404,
  example: { status: 200, request: { params: { guide: 'reading' } } },
  refused: { status: 404, request: { params: { guide: 'no-such-guide' } } },
})
