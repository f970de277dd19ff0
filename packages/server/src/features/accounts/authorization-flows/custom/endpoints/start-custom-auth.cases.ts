import { casesOf } from '../../../../../testkit/cases.ts'
import { startCustomAuth } from './start-custom-auth.ts'

export const cases = casesOf(startCustomAuth, { request: { query: { state: 'unknown' } }, status: 400 })
