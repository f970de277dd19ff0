import { casesOf } from '../../../../testkit/cases.ts'
import { getLlmsText } from './get-llms-text.ts'

export const cases = casesOf(getLlmsText, { status: 200, refused: 'never' })
