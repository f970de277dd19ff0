import { casesOf } from '../../../../testkit/cases.ts'
import { getGroup } from './get-group.ts'

export const cases = casesOf(getGroup, { status: 200 })
