import { casesOf } from '../../../../testkit/cases.ts'
import { listDestinations } from './list-destinations.ts'

export const cases = casesOf(listDestinations, { status: 200 })
