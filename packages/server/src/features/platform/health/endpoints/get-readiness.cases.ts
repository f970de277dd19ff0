import { casesOf } from '../../../../testkit/cases.ts'
import { getReadiness } from './get-readiness.ts'

export const cases = casesOf(getReadiness, { status: 200, refused: 'never' })
