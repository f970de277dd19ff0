import { casesOf } from '../../../../testkit/cases.ts'
import { getOrg } from './get-org.ts'

export const cases = casesOf(getOrg, { status: 200 })
