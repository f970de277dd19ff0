import { casesOf } from '../../../../testkit/cases.ts'
import { getIntegration } from './get-integration.ts'

export const cases = casesOf(getIntegration, { status: 200 })
