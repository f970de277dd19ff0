import { casesOf } from '../../../../testkit/cases.ts'
import { getJWTKey } from './get-jwt-key.ts'

export const cases = casesOf(getJWTKey, { status: 200 })
