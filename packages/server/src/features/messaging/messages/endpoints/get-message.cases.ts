import { casesOf } from '../../../../testkit/cases.ts'
import { getMessage } from './get-message.ts'

export const cases = casesOf(getMessage, { status: 200 })
