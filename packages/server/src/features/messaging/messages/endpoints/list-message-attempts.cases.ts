import { casesOf } from '../../../../testkit/cases.ts'
import { listMessageAttempts } from './list-message-attempts.ts'

export const cases = casesOf(listMessageAttempts, { status: 200 })
