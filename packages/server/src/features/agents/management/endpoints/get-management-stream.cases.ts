import { casesOf } from '../../../../testkit/cases.ts'
import { getManagementStream } from './get-management-stream.ts'

export const cases = casesOf(getManagementStream, { status: 405, namesNoIds: true })
