import { casesOf } from '../../../../testkit/cases.ts'
import { listGroups } from './list-groups.ts'

export const cases = casesOf(listGroups, { status: 200 })
