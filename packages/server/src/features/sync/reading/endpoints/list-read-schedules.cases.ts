import { casesOf } from '../../../../testkit/cases.ts'
import { listReadSchedules } from './list-read-schedules.ts'

export const cases = casesOf(listReadSchedules, { status: 200 })
