import { casesOf } from '../../../../testkit/cases.ts'
import { getOverview } from './get-overview.ts'

export const cases = casesOf(getOverview, { status: 200 })
