import { newId } from '../../../../kernel/db/index.ts'
import { casesOf } from '../../../../testkit/cases.ts'
import { createTopic } from './create-topic.ts'

export const cases = casesOf(createTopic, {
  request: () => ({ body: { name: `made-${newId()}` } }),
  status: 201,
  example: { request: { body: { name: 'crm-health' } } },
})
