import { casesOf } from '../../../../testkit/cases.ts'
import { getHealth } from './get-health.ts'

export const cases = casesOf(getHealth, { status: 200, refused: 'never' })
