import { casesOf } from '../../../../testkit/cases.ts'
import { getMetrics } from './get-metrics.ts'

export const cases = casesOf(getMetrics, { status: 200, refused: 'never' })
