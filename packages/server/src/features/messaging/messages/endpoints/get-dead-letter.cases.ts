import { casesOf } from '../../../../testkit/cases.ts'
import { getDeadLetter } from './get-dead-letter.ts'

export const cases = casesOf(getDeadLetter, { status: 200 })
