import { casesOf } from '../../../../testkit/cases.ts'
import { updateTopic } from './update-topic.ts'

export const cases = casesOf(updateTopic, {
  request: { body: { name: 'renamed' } },
  status: 200,
  example: { request: { body: { name: 'trouble' } } },
})
