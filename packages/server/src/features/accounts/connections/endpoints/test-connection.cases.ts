import { casesOf } from '../../../../testkit/cases.ts'
import { testConnection } from './test-connection.ts'

export const cases = casesOf(testConnection, { status: 200 })
