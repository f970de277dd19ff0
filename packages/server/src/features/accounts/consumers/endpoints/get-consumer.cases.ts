import { casesOf } from '../../../../testkit/cases.ts'
import { getConsumer } from './get-consumer.ts'

export const cases = casesOf(getConsumer, { status: 200 })
