import { casesOf } from '../../../../testkit/cases.ts'
import { listRecordObjects } from './list-record-objects.ts'

export const cases = casesOf(listRecordObjects, { status: 200 })
