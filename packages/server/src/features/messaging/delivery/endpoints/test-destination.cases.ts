import { casesOf } from '../../../../testkit/cases.ts'
import { testDestination } from './test-destination.ts'

export const cases = casesOf(testDestination, { status: 200 })
