import { casesOf } from '../../../../testkit/cases.ts'
import { getApiKey } from './get-api-key.ts'

export const cases = casesOf(getApiKey, { status: 200 })
