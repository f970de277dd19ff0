import { casesOf } from '../../../../testkit/cases.ts'
import { listOrgBuilders } from './list-org-builders.ts'

export const cases = casesOf(listOrgBuilders, { status: 200 })
