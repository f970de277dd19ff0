import { casesOf } from '../../../../testkit/cases.ts'
import { getOperation } from './get-operation.ts'

export const cases = casesOf(getOperation, { status: 200 })
