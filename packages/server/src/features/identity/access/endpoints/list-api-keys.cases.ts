import { casesOf } from '../../../../testkit/cases.ts'
import { listApiKeys } from './list-api-keys.ts'

export const cases = casesOf(listApiKeys, {
  request: { query: { active: 'true' } },
  status: 200,
})
