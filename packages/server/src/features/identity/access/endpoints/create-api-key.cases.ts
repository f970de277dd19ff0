import { casesOf } from '../../../../testkit/cases.ts'
import { createApiKey } from './create-api-key.ts'

export const cases = casesOf(createApiKey, {
  request: { body: { label: 'made', scopes: ['frontend'] } },
  status: 201,
  example: { request: { body: { label: 'our front end', scopes: ['frontend'] } } },
})
