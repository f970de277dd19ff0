import { casesOf } from '../../../../testkit/cases.ts'
import { getMessageReplay } from './get-message-replay.ts'

export const cases = casesOf(getMessageReplay, { status: 200 })
