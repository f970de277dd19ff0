import { casesOf } from '../../../../testkit/cases.ts'
import { listJWTKeys } from './list-jwt-keys.ts'

export const cases = casesOf(listJWTKeys, {
  request: { query: { active: 'true' } },
  status: 200,
})
