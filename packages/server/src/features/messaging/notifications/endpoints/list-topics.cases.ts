import { casesOf } from '../../../../testkit/cases.ts'
import { listTopics } from './list-topics.ts'

export const cases = casesOf(listTopics, { status: 200 })
