import { casesOf } from '../../../../testkit/cases.ts'
import { listOperationLogs } from './list-operation-logs.ts'

export const cases = casesOf(listOperationLogs, { status: 200 })
