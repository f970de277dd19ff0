import { casesOf } from '../../../../testkit/cases.ts'
import { getConnection } from './get-connection.ts'

export const cases = casesOf(getConnection, {
  request: { query: { includeCreds: 'false' } },
  status: 200,
})
